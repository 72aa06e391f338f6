import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from '@jest/globals';
import { PROJECT_ROOT, readProjectFile } from '@partner/local-stack/project-root';
import { lastLines, runCommand } from '@partner/local-stack/run-command';
import { ensurePython } from '@partner/local-stack/toolchains/toolchains';
import { stack } from '@partner/partnerctl/testing/partnerctl-on-stack';
import { baseEnvironment } from '@partner/test-kit/backing-services/local-process';

const CLIENTS = 'proto-contracts/clients';
/** TypeScript 7, as a developer's own compiler. */
const COMPILER = path.join(PROJECT_ROOT, 'node_modules/typescript-native/bin/tsc');
const COMPILER_OPTIONS =
  '--ignoreConfig --strict --target ES2023 --module NodeNext --types node --outDir out';

/** Outside the project, so that a program finds no packages but those that are installed for it. */
export const directory = mkdtempSync(path.join(tmpdir(), 'packed-clients-'));
/** CommonJS has other files and types than the ES modules that the examples import. */
const COMMON_JS = `import { createPartnerClient } from '@partner/client';
import { expressHandler } from '@partner/client/express';
const partner = createPartnerClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'a.b' });
// @ts-expect-error the lead lacks fields
export const call = () => partner.POST('/inbound/leads', { body: { fullName: '' } });
console.log(typeof partner.GET, typeof expressHandler);
`;

export async function run(
  cwd: string,
  ...[program, ...args]: readonly [string, ...string[]]
): Promise<string> {
  return runAbout(settings(), cwd, program, ...args);
}

export async function runAbout(
  env: NodeJS.ProcessEnv,
  cwd: string,
  ...[program, ...args]: readonly [string, ...string[]]
): Promise<string> {
  const result = await runCommand(program, args, { cwd, env });
  expect({ program, args, failure: result.exitCode === 0 ? '' : lastLines(result, 40) }).toMatchObject({
    failure: '',
  });
  return result.stdout;
}

/** The code blocks of a README in a language. */
function examplesOf(client: string, language: string): readonly string[] {
  const blocks = readProjectFile(`${CLIENTS}/${client}/README.md`).matchAll(
    new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'),
  );
  return [...blocks].map(([, block = '']) => block);
}

/** The command of a README that installs its client, with the address of the stack. */
function installCommand(client: string): readonly [string, ...string[]] {
  const [line = ''] = examplesOf(client, 'sh');
  const [program = '', ...args] = line.trim().split(' ');
  const withUrl = (arg: string) => arg.replaceAll('"', '').replace('$PARTNER_URL', stack.description.baseUrl);
  return [program, ...args.map(withUrl)];
}

export function company(kind: 'SALES' | 'INSTALLER') {
  const found = stack.description.companies.find((each) => each.class === kind);
  if (found === undefined) throw new Error(`the sandbox has no company of class ${kind}`);
  return found;
}

/** A client as a developer installs it from the stack, in an empty folder. */
export interface PackedClient {
  readonly language: 'TypeScript' | 'Python';
  /** False if the toolchain of the language is missing. */
  readonly isInstallable: boolean;
  /** The code blocks of its README. */
  readonly examples: readonly string[];
  readonly folder: string;
  /** Installs it with the command of its README, and writes the examples. */
  readonly install: (programPort: number) => Promise<void>;
  /** Runs one of the examples. */
  readonly command: (example: number) => readonly [string, ...string[]];
  /** Its command-line tool. */
  readonly tool: readonly [string, ...string[]];
}

export function typescriptClient(): PackedClient {
  const folder = path.join(directory, 'typescript');
  const examples = examplesOf('typescript', 'ts');
  return {
    ...{ language: 'TypeScript', isInstallable: true, examples, folder },
    async install(programPort) {
      writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
      await run(folder, ...installCommand('typescript'), '--no-audit', '--no-fund');
      await run(
        folder,
        ...['npm', 'install', '--no-audit', '--no-fund', '--prefer-offline'],
        ...['@types/node@20.19.43', '@types/express@5.0.6', 'express@5.3.0', 'fastify@5.12.8'],
      );
      const files = examples.map((example, index) => {
        const file = `example-${index}.ts`;
        writeFileSync(path.join(folder, file), example.replace('3000', String(programPort)));
        return file;
      });
      writeFileSync(path.join(folder, 'common-js.cts'), COMMON_JS);
      const sources = [...files, 'common-js.cts'];
      await run(folder, process.execPath, COMPILER, ...COMPILER_OPTIONS.split(' '), ...sources);
    },
    command: (example) => [process.execPath, path.join(folder, `out/example-${example}.js`)],
    tool: [path.join(folder, 'node_modules/.bin/partner-client')],
  };
}

/** Python, if it can install packages. */
const python = await ensurePython(['uvicorn==0.54.0']);

export function pythonClient(): PackedClient {
  const interpreter = python ?? '';
  const folder = path.join(directory, 'python');
  const examples = examplesOf('python', 'python');
  const installed = path.join(folder, 'installed/bin/python');
  return {
    ...{ language: 'Python', isInstallable: python !== undefined, examples, folder },
    async install(programPort) {
      await run(folder, interpreter, '-m', 'venv', 'installed');
      const [, ...install] = installCommand('python');
      const frameworks = ['uvicorn==0.54.0', 'fastapi', 'django==5.2.19'];
      await run(folder, installed, '-m', 'pip', '-q', ...install, ...frameworks);
      for (const [index, example] of examples.entries())
        writeFileSync(path.join(folder, `example_${index}.py`), example.replace('3000', String(programPort)));
    },
    command: (example) => [installed, path.join(folder, `example_${example}.py`)],
    tool: [installed, '-m', 'partner_client'],
  };
}

export const settings = ({ id, secret } = { id: 'whk_none', secret: `whsec_${btoa('of no webhook')}` }) => ({
  ...baseEnvironment(),
  PARTNER_URL: stack.description.baseUrl,
  PARTNER_API_KEY: company('INSTALLER').keys.find(({ kind }) => kind === 'installer-company')?.apiKey ?? '',
  PARTNER_WEBHOOK_SECRET: secret,
  PARTNER_WEBHOOK_ID: id,
});

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { ensurePython, runProgram } from '@partner/local-stack/toolchains/toolchains';
import {
  automationDescription,
  clientDescription,
  webhookDescription,
  withOpenEnums,
} from '@partner/proto-contracts/openapi/client-description';
import { pythonAutomation } from './python-automation.js';

/** The generated folder of the Python client, relative to the project. */
export const PYTHON_CODE = 'proto-contracts/clients/python/src/partner_client/gen';

/** What generates, formats, checks and runs the Python client, and its dependencies. */
const PACKAGES = [
  'openapi-python-client==0.29.1',
  'datamodel-code-generator==0.89.0',
  'ruff==0.17.6',
  'mypy==2.4.1',
  'hatchling==1.33.0',
  'attrs==26.1.0',
  'httpx==0.28.1',
  'cryptography==50.0.2',
  'fastapi==0.165.0',
  'django==5.2.19',
  'uvicorn==0.54.0',
] as const;

/** Python with the packages above. Undefined, with the reason on stderr, if they cannot be installed. */
export function installPython(): Promise<string | undefined> {
  return ensurePython(PACKAGES);
}

/**
 * Generates the code into `directory/gen`: calls and resources as classes, and webhooks as dictionaries with types, which refuse nothing.
 * The resources of the console, which the calls with an `automation` key return, are dictionaries too: as classes they would double the
 * code.
 */
export async function generatePython(interpreter: string, directory: string): Promise<void> {
  mkdirSync(directory, { recursive: true });
  const description = withOpenEnums(clientDescription([], ['Inbound', 'Installer']));
  writeFileSync(path.join(directory, 'openapi.json'), JSON.stringify(description));
  writeFileSync(path.join(directory, 'config.json'), JSON.stringify({ literal_enums: true, post_hooks: [] }));
  const templates = path.join(PROJECT_ROOT, 'proto-contracts/clients/generation/python-templates');
  const run = (...args: readonly string[]) => runProgram([interpreter, '-m', ...args], { cwd: directory });
  await run(
    ...['openapi_python_client', 'generate', '--path=openapi.json', '--output-path=gen', '--meta=none'],
    ...['--config=config.json', `--custom-template-path=${templates}`, '--fail-on-warning'],
  );
  await dictionaries('events', webhookDescription(), '--use-field-description');
  await dictionaries('automation_types', automationDescription());
  writeFileSync(path.join(directory, 'gen/automation.py'), pythonAutomation());
  await run('ruff', 'check', '--quiet', '--isolated', '--fix-only', '--select=I,F', 'gen');
  await run('ruff', 'format', '--quiet', '--isolated', 'gen');
  writeFileSync(
    path.join(directory, 'gen/version.py'),
    `"""The version of the API that this code was generated from."""\n\nAPI_VERSION = "${description.info.version}"\n`,
  );

  async function dictionaries(name: string, types: object, ...options: readonly string[]): Promise<void> {
    writeFileSync(path.join(directory, `${name}.json`), JSON.stringify(types));
    await run(
      ...['datamodel_code_generator', `--input=${name}.json`, '--input-file-type=openapi'],
      ...[`--output=gen/${name}.py`, '--output-model-type=typing.TypedDict'],
      ...['--target-python-version=3.11', '--enum-field-as-literal=all', '--use-type-alias'],
      ...['--no-use-closed-typed-dict', '--use-schema-description', '--use-single-line-docstring'],
      ...['--disable-timestamp', '--no-formatters', ...options],
    );
  }
}

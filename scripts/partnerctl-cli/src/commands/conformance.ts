import { randomBytes, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Option } from '@commander-js/extra-typings';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import { wholeNumber } from '@partner/local-stack/whole-number';
import { type CommandContext, topCommand } from '../command-context.js';
import { runConformance, type TriedReceiver } from '../conformance-checks.js';
import { EXIT_CODES, wrongUsage } from '../exit-codes.js';
import { columns, renderTable } from '../output.js';
import { counted } from '@partner/proto-contracts/api/counted';

const MAX_VERSION = 2 ** 31 - 1;

export function conformanceCommand(context: CommandContext) {
  return topCommand(
    'conformance',
    'test a receiver with valid and invalid deliveries',
    'http://127.0.0.1:3000/hooks',
    'http://127.0.0.1:3000/hooks --secret-file secret.txt --next-secret-file next.txt',
    'pass show hook | partnerctl conformance http://127.0.0.1:3000/hooks --secret-file -',
  )
    .argument('<url>', 'URL of the receiver; plain http and this machine are allowed')
    .option('--secret-file <file>', "file with the receiver's signing secret, whsec_…; - for standard input")
    .option('--secret-version <n>', 'version of that secret', wholeNumber(1, MAX_VERSION - 1), 1)
    .option(
      '--next-secret-file <file>',
      'file with the secret of the next version, for the rotation check; - for standard input',
    )
    .option(
      '--next-secret-version <n>',
      'version of that secret (default: the next one)',
      wholeNumber(1, MAX_VERSION),
    )
    .addOption(
      new Option(
        '--secret <secret>',
        'the secret as text, for development only: shell history and ps show it',
      ).conflicts('secretFile'),
    )
    .addOption(
      new Option('--next-secret <secret>', 'secret of the next version as text; likewise').conflicts(
        'nextSecretFile',
      ),
    )
    .option('--ca <file>', 'PEM file of an additional certificate authority')
    .addHelpText(
      'after',
      'Without a secret two are created and shown; load both into the receiver, then press Enter.',
    )
    .action(async (address, options) => {
      const { secretFile, nextSecretFile, ca, secretVersion } = options;
      const versions = { secretVersion, nextSecretVersion: options.nextSecretVersion ?? secretVersion + 1 };
      const url = URL.canParse(address) ? new URL(address) : undefined;
      if (url === undefined || !/^https?:$/.test(url.protocol))
        throw wrongUsage('the receiver must be a URL that begins with http:// or https://');
      if (secretFile === '-' && nextSecretFile === '-')
        throw wrongUsage('only one of the two secrets can come from standard input');
      const given = await readSecret(context, '--secret', options.secret, secretFile);
      const nextSecret = await readSecret(context, '--next-secret', options.nextSecret, nextSecretFile);
      if (nextSecret !== undefined && given === undefined)
        throw wrongUsage(
          'a next secret needs --secret-file or --secret: the one that the receiver knows now',
        );
      const authority = ca === undefined ? undefined : readAuthority(ca);
      const secrets =
        given === undefined ? await makeSecrets(context, versions) : { secret: given, nextSecret };
      const results = await runConformance(
        {
          url,
          ...secrets,
          ...versions,
          ca: authority,
          timeoutMs: LIMITS.webhookTimeoutMs,
          signal: context.signal,
        },
        ({ check, verdict }) => context.progress(`${verdict}: ${check}`),
      );
      const failed = results.filter(({ verdict }) => verdict === 'failed').length;
      const checks = results.map((result) => ({ ...result }));
      const table = renderTable(checks, columns('verdict, check, expected, what came: got'));
      context.output.words(
        { url: url.href, conforms: failed === 0, checks },
        `${table}\n\n${failed === 0 ? 'The receiver conforms.' : `${failed} of ${counted(results.length, 'check')} failed.`}\n`,
      );
      if (failed > 0) context.setExitCode(EXIT_CODES.failed);
    });
}

/**
 * Returns the signing secret of an option, e.g. `--secret`, from its text or from the file of `--secret-file`; undefined without
 * either. Fails for an invalid one, without showing it.
 */
async function readSecret(
  context: Pick<CommandContext, 'read'>,
  option: string,
  text: string | undefined,
  file: string | undefined,
): Promise<string | undefined> {
  const secret = file === undefined ? text : (await context.read(file)).trim();
  if (secret !== undefined && !/^whsec_[A-Za-z0-9+/]{20,}={0,2}$/.test(secret)) {
    const where = file === undefined ? option : `${option}-file`;
    throw wrongUsage(`${where}: a secret is whsec_ and base64`);
  }
  return secret;
}

function readAuthority(file: string): string {
  try {
    const pem = readFileSync(file, 'utf8');
    new X509Certificate(pem);
    return pem;
  } catch (error) {
    throw wrongUsage(`--ca cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function makeSecrets(
  context: CommandContext,
  { secretVersion, nextSecretVersion }: Pick<TriedReceiver, 'secretVersion' | 'nextSecretVersion'>,
) {
  if (!process.stdin.isTTY) throw wrongUsage('give the secret that the receiver knows: --secret-file <file>');
  const make = () => `whsec_${randomBytes(32).toString('base64')}`;
  const made = { secret: make(), nextSecret: make() };
  context.tell(
    `Load these into the receiver:\n  version ${secretVersion}: ${made.secret}\n  version ${nextSecretVersion}: ${made.nextSecret}`,
  );
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    await terminal.question('Then press Enter. ', { signal: context.signal });
  } finally {
    terminal.close();
  }
  return made;
}

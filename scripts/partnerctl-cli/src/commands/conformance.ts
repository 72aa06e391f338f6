import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import { wholeNumber } from '@partner/local-stack/whole-number';
import { type CommandContext, topCommand } from '../command-context.js';
import { runConformance } from '../conformance-checks.js';
import { EXIT_CODES, wrongUsage } from '../exit-codes.js';
import { columns, renderTable } from '../output.js';
import { counted } from '@partner/proto-contracts/api/counted';
import { parsedUrl } from '@partner/proto-contracts/values/parsed-url';

const MAX_VERSION = 2 ** 31 - 1;

export function conformanceCommand(context: CommandContext) {
  return topCommand(
    'conformance',
    'test a receiver with valid and invalid deliveries',
    'http://127.0.0.1:3000/hooks --secret-file secret.txt --next-secret-file next.txt',
    'pass show hook | partnerctl conformance http://127.0.0.1:3000/hooks --secret-file -',
  )
    .argument('<url>', 'URL of the receiver; plain http and this machine are allowed')
    .requiredOption(
      '--secret-file <file>',
      "file with the receiver's signing secret, whsec_…; - for standard input",
    )
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
    .option('--ca <file>', 'PEM file of an additional certificate authority')
    .action(async (address, { secretFile, nextSecretFile, ca, secretVersion, ...options }) => {
      const { nextSecretVersion = secretVersion + 1 } = options;
      const url = parsedUrl(address);
      if (url === undefined || !/^https?:$/.test(url.protocol))
        throw wrongUsage('the receiver must be a URL that begins with http:// or https://');
      if (secretFile === '-' && nextSecretFile === '-')
        throw wrongUsage('only one of the two secrets can come from standard input');
      const secret = await readSecret(context, '--secret-file', secretFile);
      const nextSecret =
        nextSecretFile === undefined
          ? undefined
          : await readSecret(context, '--next-secret-file', nextSecretFile);
      const authority = ca === undefined ? undefined : readAuthority(ca);
      const { webhookTimeoutMs: timeoutMs } = LIMITS;
      const { signal } = context;
      const checks = await runConformance(
        { url, secret, secretVersion, nextSecret, nextSecretVersion, ca: authority, timeoutMs, signal },
        ({ check, verdict }) => context.progress(`${verdict}: ${check}`),
      );
      const failed = checks.filter(({ verdict }) => verdict === 'failed').length;
      const table = renderTable(checks, columns('verdict, check, expected, what came: got'));
      context.output.words(
        { url: url.href, conforms: failed === 0, checks },
        `${table}\n\n${failed === 0 ? 'The receiver conforms.' : `${failed} of ${counted(checks.length, 'check')} failed.`}\n`,
      );
      if (failed > 0) context.setExitCode(EXIT_CODES.failed);
    });
}

/** Reads the signing secret in the file of an option. Fails for an invalid one, without showing it. */
async function readSecret(context: CommandContext, option: string, file: string): Promise<string> {
  const secret = (await context.read(file)).trim();
  if (!/^whsec_[A-Za-z0-9+/]{20,}={0,2}$/.test(secret))
    throw wrongUsage(`${option}: a secret must be whsec_ followed by base64`);
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

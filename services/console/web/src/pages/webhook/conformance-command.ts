import type { Webhook } from '../../api/operations.js';
import { shellWord } from '../../shell-word.js';

/** The command line that checks a webhook's receiver with its secrets, which the reader saves in files. */
export function conformanceCommand(
  webhook: Pick<Webhook, 'url' | 'secretVersion' | 'pendingSecretVersion'>,
): string {
  const { url, secretVersion, pendingSecretVersion } = webhook;
  const file = (version: number) => `secret-${version}.txt`;
  const next =
    pendingSecretVersion === null
      ? ''
      : ` --next-secret-file ${file(pendingSecretVersion)} --next-secret-version ${pendingSecretVersion}`;
  return `partnerctl conformance ${shellWord(url)} --secret-file ${file(secretVersion)} --secret-version ${secretVersion}${next}`;
}

import { type CommandContext } from './command-context.js';
import { wrongUsage } from './exit-codes.js';

/**
 * Returns the signing secret of an option, e.g. `--secret`, from its text or from the file of `--secret-file`; undefined without
 * either. Fails for an invalid one, without showing it.
 */
export async function readSecret(
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

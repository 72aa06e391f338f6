import { type CommandContext } from './command-context.js';
import { wrongUsage } from './exit-codes.js';

/** Source of a signing secret; both absent: none was given. */
export interface GivenSecret {
  /** Option of the text, e.g. `--secret`; the option of the file is `…-file`. */
  readonly option: string;
  /** From the command line, where every user of the machine can see it. */
  readonly text: string | undefined;
  /** From a file, or from standard input for `-`. */
  readonly file: string | undefined;
}

/** Returns the given signing secret; undefined without one. Fails for an invalid one, without showing it. */
export async function readSecret(
  context: Pick<CommandContext, 'read'>,
  { option, text, file }: GivenSecret,
): Promise<string | undefined> {
  const secret = file === undefined ? text : (await context.read(file)).trim();
  if (secret !== undefined && !/^whsec_[A-Za-z0-9+/]{20,}={0,2}$/.test(secret)) {
    const where = file === undefined ? option : `${option}-file`;
    throw wrongUsage(`${where}: a secret is whsec_ and base64`);
  }
  return secret;
}

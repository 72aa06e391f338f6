import { type CommandContext } from './command-context.js';
import { OperatorError } from './exit-codes.js';

/** Where a signing secret stands; nothing: none was given. */
export interface GivenSecret {
  /** The option of the text, e.g. `--secret`; that of a file is called `…-file`. */
  readonly option: string;
  /** On the command line, where whoever is on the machine sees it. */
  readonly text: string | undefined;
  /** In a file, or on standard input for `-`. */
  readonly file: string | undefined;
}

/** The signing secret that was given; undefined when none was. Fails for what is none, without showing it. */
export async function readSecret(
  context: Pick<CommandContext, 'read'>,
  { option, text, file }: GivenSecret,
): Promise<string | undefined> {
  const secret = file === undefined ? text : (await context.read(file)).trim();
  if (secret !== undefined && !/^whsec_[A-Za-z0-9+/]{20,}={0,2}$/.test(secret)) {
    const where = file === undefined ? option : `${option}-file`;
    throw new OperatorError('usage', `${where}: a secret is whsec_ and base64`);
  }
  return secret;
}

import { invalidArgument } from '@partner/kernel/process/validation';

/** The names that an owner's password must not be. */
export interface PasswordOwner {
  readonly email: string | undefined;
  readonly displayName: string;
  readonly companyName: string;
}

/**
 * Fails with `invalid_argument` for a password that is a name of its owner: the email address, the part before its `@`, the
 * owner's name or the company's. Case, spaces and punctuation make no difference. Its length is the schema's rule.
 */
export function checkNewPassword(password: string, owner: PasswordOwner): void {
  const { email = '', displayName, companyName } = owner;
  const names = [email, email.slice(0, email.lastIndexOf('@')), displayName, companyName];
  const plain = lettersOf(password);
  if (!names.some((name) => name !== '' && lettersOf(name) === plain)) return;
  throw invalidArgument([
    { path: 'newPassword', message: 'must not be the email address, your name or the name of the company' },
  ]);
}

function lettersOf(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

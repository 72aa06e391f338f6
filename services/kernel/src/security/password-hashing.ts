/** Argon2id, version 1.3: 19 MiB, two passes, one lane. The library's own algorithm is Argon2id. */
export const PASSWORD_HASHING = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

const PHC = new RegExp(
  `^\\$argon2id\\$v=19\\$m=${PASSWORD_HASHING.memoryCost},t=${PASSWORD_HASHING.timeCost},p=${PASSWORD_HASHING.parallelism}` +
    '\\$[A-Za-z0-9+/]{22,64}\\$[A-Za-z0-9+/]{43}$',
);

/** Returns whether a text is a PHC hash with the parameters of {@link PASSWORD_HASHING}. Does not check a password. */
export function isPasswordHash(text: string): boolean {
  return PHC.test(text);
}

/**
 * Returns a password in the form that is hashed: NFC (RFC 8265, OpaqueString), so that composed and decomposed letters are one password.
 * Nothing else is folded, cut or trimmed.
 */
export function normalizedPassword(password: string): string {
  return password.normalize('NFC');
}

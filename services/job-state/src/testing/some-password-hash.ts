import { randomBytes } from 'node:crypto';

export function somePasswordHash(): string {
  const base64 = (size: number) => randomBytes(size).toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=19456,t=2,p=1$${base64(16)}$${base64(32)}`;
}

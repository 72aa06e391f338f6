import { createHash } from 'node:crypto';
import type { IdPrefix } from '@partner/kernel/process/ids';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Derives bytes from a label; deterministic. */
export function stableBytes(label: string, length: number): Buffer {
  return createHash('shake256', { outputLength: length }).update(`sandbox ${label}`).digest();
}

/** Returns an id in the form of `newId` (TypeID over UUIDv7) for an instant. The label determines its random part. */
export function stableId(prefix: IdPrefix, label: string, at: Date): string {
  const bytes = stableBytes(`${prefix} ${label}`, 16);
  bytes.writeUIntBE(at.getTime(), 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  let rest = BigInt(`0x${bytes.toString('hex')}`);
  let suffix = '';
  for (let index = 0; index < 26; index += 1) {
    suffix = ALPHABET.charAt(Number(rest & 31n)) + suffix;
    rest >>= 5n;
  }
  return `${prefix}_${suffix}`;
}

import { z } from 'zod';

/** Keys of 32 bytes by id, in their order. The first one is current; all of them are accepted, so that a key can be replaced. */
export interface KeyList {
  readonly currentKeyId: string;
  readonly keys: ReadonlyMap<string, Buffer>;
}

/** Parses a list of keys in a setting: `id:base64` pairs separated by commas. */
export function keyListSetting(description: string) {
  return z
    .string()
    .transform((text, context): KeyList => {
      const keys = new Map<string, Buffer>();
      for (const pair of text.split(',')) {
        const [id = '', encoded = ''] = pair.trim().split(':');
        const key = Buffer.from(encoded, 'base64');
        if (!/^[A-Za-z0-9_-]{1,32}$/.test(id) || key.length !== 32 || keys.has(id)) {
          context.addIssue({
            code: 'custom',
            message: 'must be id:base64 pairs parted by commas, each key 32 bytes, each id once',
          });
          return z.NEVER;
        }
        keys.set(id, key);
      }
      const [currentKeyId] = keys.keys();
      return currentKeyId === undefined ? z.NEVER : { currentKeyId, keys };
    })
    .meta({
      description: `${description}: \`id:base64\` pairs separated by commas, 32 bytes each.`,
      isSecret: true,
    });
}

import { z } from 'zod';
import { KEY_FORM, keyBytes } from './key-bytes.js';

/** Keys of 32 bytes by id, in their order. The first one is current; all of them are accepted, so that a key can be replaced. */
export interface KeyList {
  readonly currentKeyId: string;
  readonly keys: ReadonlyMap<string, Buffer>;
}

export function keyListSetting(description: string) {
  return z
    .string()
    .transform((text, context): KeyList => {
      const keys = new Map<string, Buffer>();
      for (const pair of text.split(',')) {
        const [id = '', encoded = ''] = pair.trim().split(':');
        const key = keyBytes(encoded);
        if (!/^[A-Za-z0-9_-]{1,32}$/.test(id) || key === undefined || keys.has(id)) {
          context.addIssue({
            code: 'custom',
            message: `must be id:base64 pairs separated by commas, each key ${KEY_FORM}, each id once`,
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

import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { readJson, writePrivateJson } from '../private-file.js';
import { httpStatus } from './http-status.js';

export const knownSecret = z.object({
  version: z.int().min(1),
  secret: z.string().startsWith('whsec_'),
  /** The path of the subscription's URL; absent: deliveries on every path may be signed with the secret. */
  path: z.string().startsWith('/').optional(),
  subscriptionId: z.string().optional(),
});

export type KnownSecret = z.infer<typeof knownSecret>;

export type KnownSecrets = ReturnType<typeof openKnownSecrets>;

/** Opens the receiver's secrets, stored in a file so that they survive a restart. */
export function openKnownSecrets(file: string) {
  let secrets = readJson(file, z.array(knownSecret)) ?? [];
  return {
    add(added: KnownSecret): void {
      const isSame = (known: KnownSecret) => known.secret === added.secret && known.path === added.path;
      secrets = [...secrets.filter((known) => !isSame(known)), added];
      writePrivateJson(file, secrets);
    },
    /** Returns the secrets of the version that may sign deliveries on the path; undefined if it has none of any version. */
    candidates(version: number, path: string): readonly string[] | undefined {
      const ofPath = secrets.filter((known) => known.path === undefined || known.path === path);
      if (ofPath.length === 0) return undefined;
      return ofPath.filter((known) => known.version === version).map((known) => known.secret);
    },
  };
}

export async function registerSecret(
  receiver: { readonly controlUrl: string; readonly caFile: string },
  secret: KnownSecret,
): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const options = { method: 'POST', ca: readFileSync(receiver.caFile), headers };
  const status = await httpStatus(receiver.controlUrl, options, JSON.stringify(secret));
  if (status !== 200) throw new Error(`the receiver refuses the secret: ${status}`);
}

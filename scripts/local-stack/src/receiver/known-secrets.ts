import { z } from 'zod';
import { readJson, writePrivateJson } from '../private-file.js';

/** A signing secret that the receiver is told of. */
export const knownSecret = z.object({
  version: z.int().min(1),
  secret: z.string().startsWith('whsec_'),
  /** The path of the subscription's URL; absent: deliveries on every path may be signed with it. */
  path: z.string().startsWith('/').optional(),
  /** For people who read the file. */
  subscriptionId: z.string().optional(),
});

export type KnownSecret = z.infer<typeof knownSecret>;

/** The secrets that the receiver verifies with, kept in a file so that it can be started again. */
export interface KnownSecrets {
  add(secret: KnownSecret): void;
  /** Those of the version that may sign deliveries on the path. */
  candidates(version: number, path: string): readonly string[];
}

/** Opens the secrets in a file that only its owner can read; it is made with the first secret. */
export function openKnownSecrets(file: string): KnownSecrets {
  let secrets = readJson(file, z.array(knownSecret)) ?? [];
  return {
    add(added) {
      const isSame = (known: KnownSecret) => known.secret === added.secret && known.path === added.path;
      secrets = [...secrets.filter((known) => !isSame(known)), added];
      writePrivateJson(file, secrets);
    },
    candidates(version, path) {
      return secrets
        .filter((known) => known.version === version && (known.path === undefined || known.path === path))
        .map((known) => known.secret);
    },
  };
}

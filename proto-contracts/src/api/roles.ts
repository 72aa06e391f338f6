import { z } from 'zod';
import type { AnyOperation } from './operation.js';

export const role = z.enum(['owner', 'viewer']).meta({
  id: 'Role',
  description:
    'An `owner` can do everything. A `viewer` can read everything, and change only their own account.',
});

export type Role = z.infer<typeof role>;

/**
 * Returns whether a viewer may send an operation of the owners' API: a read, or a change of the own account. Reads show no
 * secret (spec: HTTP-9).
 */
export function isForViewers({
  method,
  ofOwnAccount,
}: Pick<AnyOperation, 'method' | 'ofOwnAccount'>): boolean {
  return method === 'get' || ofOwnAccount === true;
}

export const VIEWER_REFUSAL =
  'your role is viewer, which cannot change anything; ask an owner of your company';

import type { AnyOperation } from '@partner/proto-contracts/api/operation';
import { INBOUND_OPERATIONS } from '@partner/proto-contracts/surfaces/inbound';
import { INSTALLER_OPERATIONS } from '@partner/proto-contracts/surfaces/installer';
import { KEY_KINDS, type KeyKindName } from '@partner/proto-contracts/api/scopes';

/** Every operation that is used with an API key. */
export const SURFACE_OPERATIONS: readonly AnyOperation[] = [...INBOUND_OPERATIONS, ...INSTALLER_OPERATIONS];

const KINDS = ['general', 'installer-contractor', 'installer-company'] as const;

/** The expected status of an operation for each kind of key: 200 stands for any success. */
export function verdictsOn(operation: AnyOperation): readonly (readonly [KeyKindName, 200 | 401 | 403])[] {
  return KINDS.map((kind) => {
    const { surface, scopes } = KEY_KINDS[kind];
    if (!operation.path.startsWith(surface === 'inbound' ? '/inbound/' : '/partner/v1/')) return [kind, 401];
    return [kind, scopes.some((scope) => scope === operation.scope) ? 200 : 403];
  });
}

/** The kind of key that an operation is made for. Throws when there is none or more than one. */
export function kindFor(operation: AnyOperation): KeyKindName {
  const [allowed, ...more] = verdictsOn(operation).filter(([, verdict]) => verdict === 200);
  if (allowed === undefined || more.length > 0) {
    throw new Error(`${operation.id} has not exactly one kind of key that may use it`);
  }
  return allowed[0];
}

export function isOnJob(operation: AnyOperation): boolean {
  return operation.path.includes('/jobs/:id');
}

export function operationOf(id: string): AnyOperation {
  const operation = SURFACE_OPERATIONS.find((candidate) => candidate.id === id);
  if (operation === undefined) throw new Error(`there is no operation ${id}`);
  return operation;
}

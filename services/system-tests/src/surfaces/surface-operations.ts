import type { AnyOperation } from '@partner/proto-contracts/api/operation';
import { INBOUND_OPERATIONS } from '@partner/proto-contracts/surfaces/inbound';
import { INSTALLER_OPERATIONS } from '@partner/proto-contracts/surfaces/installer';
import { KEY_KINDS, type KeyKindName, type Surface } from '@partner/proto-contracts/api/scopes';

/** Every operation of the gateways. */
export const SURFACE_OPERATIONS: readonly AnyOperation[] = [...INBOUND_OPERATIONS, ...INSTALLER_OPERATIONS];

export const KINDS = ['general', 'installer-contractor', 'installer-company', 'automation'] as const;

export function surfaceOf({ path }: Pick<AnyOperation, 'path'>): Surface | 'console' {
  if (path.startsWith('/inbound/')) return 'inbound';
  if (path.startsWith('/automation/v1/')) return 'automation';
  return path.startsWith('/partner/v1/') ? 'installer' : 'console';
}

/** The kind of key that an operation is made for. Throws when there is none or more than one. */
export function kindFor(operation: AnyOperation): KeyKindName {
  const [allowed, ...more] = KINDS.filter((kind) => {
    const { surface, scopes } = KEY_KINDS[kind];
    return surface === surfaceOf(operation) && scopes.some((scope) => scope === operation.scope);
  });
  if (allowed === undefined || more.length > 0) {
    throw new Error(`${operation.id} has not exactly one kind of key that may use it`);
  }
  return allowed;
}

export function isOnJob(operation: AnyOperation): boolean {
  return operation.path.includes('/jobs/:id');
}

export function operationOf(id: string): AnyOperation {
  const operation = SURFACE_OPERATIONS.find((candidate) => candidate.id === id);
  if (operation === undefined) throw new Error(`there is no operation ${id}`);
  return operation;
}

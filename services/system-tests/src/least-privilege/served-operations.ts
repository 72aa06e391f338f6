import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { AmqpConnection } from '@partner/kernel/amqp/connection';
import { createRpcClient } from '@partner/kernel/amqp/rpc-client';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { ServiceError } from '@partner/kernel/process/service-error';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import type { Caller } from '@partner/proto-contracts/call';
import { CONSOLE_CALLS, CONSOLE_OPERATIONS } from '@partner/proto-contracts/surfaces/console';
import { DISPATCHER_CALLS } from '@partner/proto-contracts/surfaces/dispatcher';
import { INBOUND_CALLS, INBOUND_OPERATIONS } from '@partner/proto-contracts/surfaces/inbound';
import { INSTALLER_CALLS, INSTALLER_OPERATIONS } from '@partner/proto-contracts/surfaces/installer';
import { OPERATOR_CALLS, OPERATOR_OPERATIONS } from '@partner/proto-contracts/surfaces/operators';
import { JOB_STATE_OPERATOR_RPC, type QueueDefinition } from '@partner/proto-contracts/topology';
import { Registry } from 'prom-client';

/** The operations of each surface by its name in architecture.md. */
const SURFACES: Readonly<Record<string, readonly { readonly id: string }[]>> = {
  inbound: [...INBOUND_OPERATIONS, ...INBOUND_CALLS],
  installer: [...INSTALLER_OPERATIONS, ...INSTALLER_CALLS],
  console: [...CONSOLE_OPERATIONS, ...CONSOLE_CALLS],
  operators: [...OPERATOR_OPERATIONS, ...OPERATOR_CALLS],
  dispatcher: DISPATCHER_CALLS,
};

/** Users of the broker that call operations and serve none, with the process in the table of rights. */
export const CALLING_USERS = [
  ['partner-inbound-gateway', '`inbound-gateway`'],
  ['partner-installer-gateway', '`installer-gateway`'],
  ['partner-console', '`console`'],
  ['partner-simulator', 'simulator, in the sandbox'],
  ['partner-operator', '`partnerctl`'],
] as const;

/** Returns the exchanges and surfaces of a process in the table of architecture.md. */
export function readRightsOf(process: string): {
  readonly publishes: readonly string[];
  readonly surfaces: readonly string[];
} {
  const page = readFileSync(path.join(PROJECT_ROOT, 'services/docs/architecture.md'), 'utf8');
  const [, table = ''] = page.split('### What a compromised process can reach');
  const row = table.split('\n').find((line) => line.startsWith(`| ${process} `));
  const [, , publishes = '', , operations = ''] = row?.split('|') ?? [];
  return {
    publishes: publishes.match(/[a-z.]+[a-z]/g) ?? [],
    surfaces: operations.match(/(?<=`)[a-z]+(?=`)/g) ?? [],
  };
}

/**
 * Returns a function for the ids of the operations that a queue serves; call it once the connection is ready. Nothing runs: the calls are
 * in the name of a caller that the queue does not have.
 */
export function servedOperations(
  connection: AmqpConnection,
  queue: QueueDefinition,
): () => Promise<readonly string[]> {
  const client = createRpcClient({ connection, queue, logger: silentLogger, metrics: new Registry() });
  const caller: Caller =
    queue.name === JOB_STATE_OPERATOR_RPC.name ? { kind: 'service' } : { kind: 'operator', name: 'probe' };
  return async () => {
    try {
      const ids: string[] = [];
      // A client has a bounded number of calls in flight.
      for (const operations of Object.values(SURFACES))
        await Promise.all(
          operations.map(async (operation) => {
            const failure: unknown = await client
              .call(operation, { caller })
              .catch((error: unknown) => error);
            if (failure instanceof ServiceError && failure.reason === 'permission_denied')
              ids.push(operation.id);
          }),
        );
      return ids;
    } finally {
      await client.close();
    }
  };
}

/** Returns the surfaces of which an operation is among those that are served, and the served operations of no other surface. */
export function surfacesOf(ids: readonly string[], expected: readonly string[]) {
  const idsOf = (surface: string) => SURFACES[surface]?.map(({ id }) => id) ?? [];
  const own = new Set(expected.flatMap(idsOf));
  return {
    surfaces: expected.filter((surface) => idsOf(surface).some((id) => ids.includes(id))),
    others: ids.filter((id) => !own.has(id)),
  };
}

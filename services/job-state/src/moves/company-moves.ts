import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import type { MethodImplSpec } from '@connectrpc/connect';
import { NOT_DONE_ADVICE, ServiceError } from '@partner/kernel/service-error';
import type { Logger } from '@partner/kernel/logger';
import type { Registry } from 'prom-client';
import type { RpcService } from '@partner/kernel/amqp/rpc-server';
import type { Queryable } from '../database/database.js';
import { startLoop } from '../database/start-loop.js';

const RETRY_AFTER_SECONDS = 5;
/** The fields of requests that name a company. Those that one request names are moved together. */
const COMPANY_FIELDS: ReadonlySet<string> = new Set(['companyId', 'sellingCompanyId', 'installerCompanyId']);

type UnaryMethod = Extract<MethodImplSpec, { kind: 'unary' }>;

/** Condition: the company, an SQL expression, leaves this database, so that no attempt for it begins. */
export const isLeaving = (companyId: string): string =>
  `exists (select from company_moves move where move.company_id = ${companyId})`;

/** The error of a caller whose company leaves this database, or has left it. */
export function companyMoves(): ServiceError {
  return new ServiceError(
    'unavailable',
    `the company is being moved to another database; ${NOT_DONE_ADVICE}`,
    {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    },
  );
}

/**
 * Fails with `unavailable` if the company of a caller leaves this database.
 *
 * Without a company, for a caller whom this database does not know: if a company is between two databases, for it may be that one.
 */
export async function requireAtHome(database: Queryable, companyId: string | undefined): Promise<void> {
  const moves = await database.query(
    `select from company_moves move where state = 'leaving' and case
       when $1::text is null then not exists (select from companies where id = move.company_id)
       else company_id = $1 end
     limit 1`,
    [companyId ?? null],
  );
  if (moves.length > 0) throw companyMoves();
}

/** Whether a company that is not in this database has left it for another one. */
export async function hasLeft(database: Queryable, companyId: string): Promise<boolean> {
  return (await database.query('select from company_moves where company_id = $1', [companyId])).length > 0;
}

/** Refuses the requests of companies that leave this database, or have left it. */
export interface CompanyGate {
  /** Returns a service whose methods the gate refuses. */
  guard(service: RpcService): RpcService;
  stop(): Promise<void>;
}

/**
 * Starts to refuse requests that name a company which leaves this database, or has left it, with `unavailable`: also after the move, so
 * that a caller that still believes it to be here gets no wrong response.
 *
 * It reads the companies once before it resolves, then at each interval. A move waits longer than that before it takes its locks.
 */
export async function startCompanyGate(options: {
  readonly database: Queryable;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly metrics: Registry;
  /** Milliseconds between two reads. */
  readonly intervalMs: number;
}): Promise<CompanyGate> {
  const { database } = options;
  let moving: ReadonlySet<string> = new Set();
  const read = async () => {
    const rows = await database.query<{ id: string }>('select company_id as id from company_moves');
    moving = new Set(rows.map(({ id }) => id));
  };
  await read();
  const loop = startLoop({
    ...options,
    name: 'company_moves',
    runOnce: async () => {
      await read();
      return 'idle';
    },
  });
  return {
    guard: ({ service, methods }) => ({
      service,
      methods: Object.fromEntries(
        Object.entries(methods).map(([name, spec]) => [name, spec.kind === 'unary' ? guarded(spec) : spec]),
      ),
    }),
    stop: () => loop.stop(),
  };

  function guarded(spec: UnaryMethod): UnaryMethod {
    return {
      ...spec,
      async impl(request, context) {
        refuse(request);
        try {
          const response = await spec.impl(request, context);
          if (spec.method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS) refuse(request);
          return response;
        } catch (error) {
          refuse(request);
          throw error;
        }
      },
    };
  }

  /** Also after a read and a failure: one that waited for so long can have run when the company had left. */

  function refuse(request: object): void {
    if (moving.size === 0) return;
    for (const [field, value] of Object.entries(request)) {
      if (COMPANY_FIELDS.has(field) && typeof value === 'string' && moving.has(value)) throw companyMoves();
    }
  }
}

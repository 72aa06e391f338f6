import { checkEndpointOperation } from '@partner/proto-contracts/internal/webhooks/check-endpoint';
import {
  JOB_STATE_OPERATOR_RPC,
  type QueueDefinition,
  WEBHOOK_DISPATCHER_RPC,
} from '@partner/proto-contracts/topology';
import { findCompanyOperation } from '@partner/proto-contracts/internal/operators/companies';
import type { InternalOperation, OperationResponse } from '@partner/proto-contracts/api/operation';
import type { OperationCall } from '@partner/proto-contracts/call';
import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import { createAmqpConnection } from '@partner/kernel/amqp/connection';
import { createPublisher, PATIENT_CONFIRM_TIMEOUT_MS } from '@partner/kernel/amqp/publisher';
import { createRpcClient } from '@partner/kernel/amqp/rpc-client';
import { type Logger, silentLogger } from '@partner/kernel/telemetry/logger';
import { Registry } from 'prom-client';
import { ServiceError } from '@partner/kernel/process/service-error';
import { ComponentUnavailableError, OperatorError } from './exit-codes.js';
import { pollUntil } from './poll-until.js';
import { z } from 'zod';

export type Session = Awaited<ReturnType<typeof openSession>>;

interface CalledCompany {
  readonly companyId: string;
  readonly companyClass: CompanyClassName;
}

interface PublicOperation<Outputs> {
  readonly id: string;
  readonly params?: object;
  readonly responses: { readonly [Status in keyof Outputs]: OperationResponse<Outputs[Status]> };
}

/** A resource with its company, and calls of public operations about it. */
export type Owned = Awaited<ReturnType<typeof aboutResource>>;

const CONNECT_MS = 15_000;

/**
 * Connects to the broker only; declares nothing. Fails with a clear message if the broker cannot be reached or refuses the
 * connection.
 */
export async function openSession(options: {
  readonly amqpUrl: string;
  readonly operator: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}) {
  let failure: unknown;
  const metrics = new Registry();
  const logger = noting('dependency.waiting', (error) => (failure ??= error));
  const connection = createAmqpConnection({
    url: options.amqpUrl,
    name: 'partnerctl',
    logger,
    metrics,
    declareTopology: false,
  });
  const operationsOf = (queue: QueueDefinition) =>
    createRpcClient({ connection, queue, logger, metrics, defaultTimeoutMs: options.timeoutMs });
  const operations = operationsOf(JOB_STATE_OPERATOR_RPC);
  const dispatcher = operationsOf(WEBHOOK_DISPATCHER_RPC);
  const operator = { kind: 'operator', name: options.operator } as const;
  const confirmTimeoutMs = PATIENT_CONFIRM_TIMEOUT_MS;
  const publisher = createPublisher({ connection, logger, metrics, confirmTimeoutMs });
  const session = {
    connection,
    publisher,
    checkEndpoint: (url: string) =>
      named(dispatcher.callInternal(checkEndpointOperation, { url }), 'webhook-dispatcher'),
    call: <Input, Output>(operation: InternalOperation<Input, Output>, input: Input): Promise<Output> =>
      named(operations.callInternal(operation, input, { caller: operator })),
    /** Calls an operation that is not public for a company. */
    callInternalFor: <Input, Output>(
      company: CalledCompany,
      operation: InternalOperation<Input, Output>,
      input: Input,
    ): Promise<Output> =>
      named(operations.callInternal(operation, input, { caller: { ...operator, ...company } })),
    async callFor<Outputs>(
      company: CalledCompany,
      operation: PublicOperation<Outputs>,
      call: Omit<OperationCall, 'caller'> = {},
    ): Promise<Outputs[keyof Outputs]> {
      const caller = { ...operator, ...company };
      const { json } = await named(operations.call(operation, { caller, ...call }));
      const responses: readonly OperationResponse<Outputs[keyof Outputs]>[] = Object.values(
        operation.responses,
      );
      const schemas = responses.map(({ schema }) => schema ?? z.custom<Outputs[keyof Outputs]>());
      return z.union(schemas).parse(json === '' ? undefined : JSON.parse(json));
    },
    close: () => connection.close(),
  };
  try {
    await pollUntil(
      'a connection to the broker',
      { timeoutMs: CONNECT_MS, everyMs: 10, signal: options.signal },
      async () => {
        if (failure !== undefined) throw refusal(options.amqpUrl, failure);
        return connection.isReady() || undefined;
      },
    );
    return session;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Returns the result of a call; a failure without one names the component that gave none. */
async function named<T>(call: Promise<T>, component = 'job-state'): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw error instanceof ServiceError && error.reason === 'unavailable'
      ? new ComponentUnavailableError(component, error)
      : error;
  }
}

/** Finds a resource with its company. Fails with `not_found`. */
export async function aboutResource({ call, callFor }: Pick<Session, 'call' | 'callFor'>, given: string) {
  const { companyId, companyClass, deliveryId } = await call(findCompanyOperation, { id: given });
  /** For an attempt the id of its delivery. */
  const id = deliveryId ?? given;
  return {
    ...{ id, companyId, companyClass },
    /** Calls a public operation about the resource, or about the one of `params`. */
    call: <Outputs>(operation: PublicOperation<Outputs>, more: Omit<OperationCall, 'caller'> = {}) =>
      callFor({ companyId, companyClass }, operation, {
        ...(operation.params !== undefined && { params: { id } }),
        ...more,
      }),
  };
}

function noting(line: string, note: (error: unknown) => void): Logger {
  return {
    ...silentLogger,
    warn: (fields: unknown, message?: unknown) => {
      if (message === line && typeof fields === 'object' && fields !== null && 'err' in fields)
        note(fields.err);
    },
    child: () => noting(line, note),
  };
}

function refusal(amqpUrl: string, failure: unknown): OperatorError {
  // If several addresses fail, only their individual errors have a message.
  const first: unknown = failure instanceof AggregateError ? failure.errors[0] : failure;
  const { message, code = '' }: NodeJS.ErrnoException = first instanceof Error ? first : new Error();
  const urls = amqpUrl.split(',').map((each) => new URL(each));
  const broker = `the broker at ${urls.map(({ host, pathname }) => `${host}${pathname}`).join(' and ')}`;
  return new OperatorError(
    'unavailable',
    /ACCESS[-_]REFUSED|403/.test(message)
      ? `${broker} refuses the user "${urls[0]?.username ?? ''}": ${message}. Check the user, its password and its permissions on the vhost.`
      : `cannot connect to ${broker}: ${message === '' ? code : message}. --amqp-url or AMQP_URL names it; without either it is the local stack's.`,
  );
}

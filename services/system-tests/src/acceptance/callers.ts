import { createAmqpConnection } from '@partner/kernel/amqp/connection';
import { createRpcClient } from '@partner/kernel/amqp/rpc-client';
import { newId } from '@partner/kernel/process/ids';
import { httpStatusOf, ServiceError } from '@partner/kernel/process/service-error';
import { createApiKey } from '@partner/kernel/security/api-key';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { addKey } from '@partner/local-stack/stack/add-company';
import type { SandboxCompany } from '@partner/local-stack/stack/stack-description';
import type { AnyOperation } from '@partner/proto-contracts/api/operation';
import { JOB_STATE_OPERATOR_RPC } from '@partner/proto-contracts/topology';
import { eventually } from '@partner/test-kit/eventually';
import { Registry } from 'prom-client';
import { addPerson } from '../support/companies.js';
import { type OwnerSession, signIn } from '../support/owner-session.js';
import { type ConsoleSide, endInstant } from '../surfaces/console-side.js';
import type { WireRequest } from '../surfaces/send.js';
import { kindFor, KINDS, surfaceOf } from '../surfaces/surface-operations.js';
import type { AcceptanceWorld } from './acceptance-world.js';
import { type Caller, SESSIONS } from './expected-outcome.js';

/** Creates the callers at the console, who are people of one company. `signIn` returns undefined for a caller without a session. */
export async function createPeople({ stack }: AcceptanceWorld, { id, owner }: SandboxCompany) {
  const viewer = await addPerson(stack, id, 'VIEWER');
  return {
    async signIn(caller: Caller): Promise<OwnerSession | undefined> {
      if (!SESSIONS.some((name) => name === caller)) return undefined;
      const session = await signIn(stack.baseUrl, caller === 'viewer' ? viewer : owner);
      const end = (instant: 'confirmedUntil' | 'lastSeenAt') =>
        endInstant(stack.stack.description.redisUrl, session.headers.cookie, instant);
      if (caller === 'owner without a recent password') await end('confirmedUntil');
      if (caller === 'expired session') await end('lastSeenAt');
      if (caller === 'ended session') await session.call('DELETE', '/partner-api/session');
      return session;
    },
  };
}

/** Returns the headers of a caller; a key is sent in place of a session, too. */
export async function credentialsOf(
  { stack, side }: AcceptanceWorld,
  operation: AnyOperation,
  caller: Caller,
  { session, side: owners }: { readonly session: OwnerSession | undefined; readonly side: ConsoleSide },
): Promise<Readonly<Record<string, string>>> {
  const { origin } = new URL(stack.baseUrl);
  if (caller === 'page of another site') return { ...session?.headers, origin: 'https://elsewhere.example' };
  if (session !== undefined) return session.headers;
  const kind = surfaceOf(operation) === 'console' ? 'installer-company' : kindFor(operation);
  const keys = { ...side.keys, automation: owners.apiKey };
  const companyId = {
    general: side.sellerId,
    'installer-contractor': side.sellerId,
    'installer-company': side.installerId,
    automation: owners.company.id,
  }[kind];
  const owned = { companyId, kind, boundCompanyId: side.installerId };
  const valid = keys[kind];
  const unknown = createApiKey('sandbox').text;
  const invalid: Partial<Record<Caller, () => Promise<string> | string>> = {
    'malformed key': () => valid.replace('.', ''),
    'changed key': () => `${valid}x`,
    'key of the other environment': () => addKey(stack.database, { ...owned, environment: 'production' }),
    'unknown key': () => unknown,
    'key with another secret': () => `${valid.split('.')[0]}.${unknown.split('.')[1]}`,
    'revoked key': () => addKey(stack.database, { ...owned, revoked: true }),
    'expired key': () => addKey(stack.database, { ...owned, expired: true }),
  };
  const own = KINDS.find((name) => name === caller);
  const key = own === undefined ? await invalid[caller]?.() : keys[own];
  if (key === undefined) return { origin };
  return { origin, 'x-api-key': key, authorization: `Bearer ${key}`, cookie: `svc_session=${key}` };
}

/** Connects as `partnerctl` does. A call for a company resolves to what a gateway would respond. */
export async function connectOperator(amqpUrl: string, company: SandboxCompany) {
  const shared = { logger: silentLogger, metrics: new Registry() };
  const connection = createAmqpConnection({ url: amqpUrl, name: 'operator', ...shared });
  const client = createRpcClient({ connection, queue: JOB_STATE_OPERATOR_RPC, ...shared });
  await eventually('the connection of the operator', () => connection.isReady());
  const caller = {
    ...({ kind: 'operator', name: 'olga' } as const),
    ...{ companyId: company.id, companyClass: company.class },
  };
  return {
    async send(operation: AnyOperation, { method, path, body }: WireRequest) {
      const id = path.split('/')[operation.path.split('/').indexOf(':id')];
      const headers = new Headers();
      try {
        const { json } = await client.call(operation, {
          caller,
          params: id === undefined ? {} : { id: decodeURIComponent(id) },
          query: {},
          body: operation.body?.parse(body),
          idempotencyKey: { key: newId('evt'), request: `${method} ${path}`, bodySha256: '0'.repeat(64) },
        });
        return { status: 200, headers, text: json };
      } catch (thrown) {
        if (!(thrown instanceof ServiceError)) throw thrown;
        const { reason: code, message: error } = thrown;
        return { status: httpStatusOf(code), headers, text: JSON.stringify({ error, code }) };
      }
    },
    async close() {
      await client.close();
      await connection.close();
    },
  };
}

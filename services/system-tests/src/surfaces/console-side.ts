import { createHash } from 'node:crypto';
import type { SandboxCompany } from '@partner/local-stack/stack/stack-description';
import { apiKeyCreated } from '@partner/proto-contracts/resources/api-key/api-key';
import { bulkReplay } from '@partner/proto-contracts/resources/bulk-replay/bulk-replay';
import { colleagueList } from '@partner/proto-contracts/resources/colleague/colleague';
import type { AnyOperation, BodyExample } from '@partner/proto-contracts/api/operation';
import { sessionList } from '@partner/proto-contracts/resources/session/session';
import { testReceiver } from '@partner/proto-contracts/resources/test-request/test-request';
import { webhookPlan } from '@partner/proto-contracts/resources/webhook-proposal/webhook-proposal';
import { withRedis } from '@partner/test-kit/backing-services/redis';
import { eventually } from '@partner/test-kit/eventually';
import { sendCall } from '@partner/test-kit/http-call';
import type { Pool } from 'pg';
import { expectStatus } from '../support/http-call.js';
import {
  createActiveSubscription,
  type OwnerSession,
  readDeliveries,
  signIn,
} from '../support/owner-session.js';
import type { TestStack } from '../support/test-stack.js';

/** A request to the console's API that is valid for the side that it is about. */
export interface ConsoleRequest {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** A company at the console, with one of everything that an owner can have. */
export interface ConsoleSide {
  readonly company: SandboxCompany;
  readonly session: OwnerSession;
  /** Of the kind `automation`. */
  readonly apiKey: string;
  /** Ids by what stands before `:id` in a path. */
  readonly ids: Readonly<Record<string, string>>;
}

export async function createConsoleSide(stack: TestStack, company: SandboxCompany): Promise<ConsoleSide> {
  await signIn(stack.baseUrl, company.owner);
  const session = await signIn(stack.baseUrl, company.owner);
  const request = async (status: number, method: string, path: string, body?: unknown) =>
    (await expectStatus(status, session.call(method, `/partner-api${path}`, body))).json;
  const webhook = await createActiveSubscription(session, {
    url: stack.receiverUrl,
    events: ['install.test'],
  });
  const [tested] = (await readDeliveries(session, webhook.id)).deliveries;
  const replay = await request(202, 'POST', `/webhooks/${webhook.id}/replay`, {
    states: ['delivered'],
    from: new Date(Date.now() - 60_000).toISOString(),
    to: new Date().toISOString(),
  });
  const replayId = bulkReplay.parse(replay).id;
  // Until they have finished, the replay and its deliveries change without a request.
  await eventually('the replay is done, and what it delivers has arrived', async () => {
    const read = await request(200, 'GET', `/replays/${replayId}`);
    const { deliveries } = await readDeliveries(session, webhook.id);
    return (
      bulkReplay.parse(read).state !== 'running' && deliveries.every(({ state }) => state === 'delivered')
    );
  });
  const { url } = testReceiver.parse(await request(200, 'GET', '/test-receiver'));
  await expectStatus(204, sendCall(stack.baseUrl, new URL(url ?? '').pathname, { method: 'POST' }));
  const { requests } = testReceiver.parse(await request(200, 'GET', '/test-receiver'));
  const kind = company.class === 'SALES' ? 'general' : 'installer-company';
  const made = await request(201, 'POST', '/api-keys', { kind });
  const { key } = apiKeyCreated.parse(made);
  const { apiKey } = apiKeyCreated.parse(await request(201, 'POST', '/api-keys', { kind: 'automation' }));
  const proposalId = await proposeWebhooks(stack, apiKey);
  const { sessions } = sessionList.parse(await request(200, 'GET', '/sessions'));
  const { colleagues } = colleagueList.parse(await request(200, 'GET', '/colleagues'));
  return {
    company,
    session,
    apiKey,
    ids: {
      webhooks: webhook.id,
      deliveries: tested?.id ?? '',
      events: tested?.eventId ?? '',
      replays: replayId,
      'api-keys': key.id,
      colleagues: colleagues[0]?.membershipId ?? '',
      'webhook-proposals': proposalId,
      'test-receiver': requests[0]?.id ?? '',
      sessions: sessions.find(({ current }) => !current)?.id ?? '',
    },
  };
}

/** Proposes a webhook with a key of the company, and returns the id of the proposal. */
async function proposeWebhooks(stack: TestStack, apiKey: string): Promise<string> {
  const proposed = await expectStatus(
    200,
    sendCall(stack.baseUrl, '/automation/v1/webhook-proposals', {
      method: 'POST',
      headers: { 'x-api-key': apiKey },
      body: {
        webhooks: [{ description: 'Proposed', url: `${stack.receiverUrl}/x`, events: ['install.test'] }],
      },
    }),
  );
  return webhookPlan.parse(proposed.json).proposal?.id ?? '';
}

/** Requests of an operation of the console, or of one for the key, about what a side has: one for each of the bodies that it takes. */
export function consoleRequests(operation: AnyOperation, side: ConsoleSide): readonly ConsoleRequest[] {
  const [, resource = ''] =
    /^\/(?:partner-api|automation\/v1|\.well-known)\/([a-z-]+)/.exec(operation.path) ?? [];
  const path = operation.path.replace(':id', side.ids[resource] ?? '');
  if (path.includes(':') || path.endsWith('/')) throw new Error(`say here what ${operation.path} is about`);
  const method = operation.method.toUpperCase();
  if (operation.id === 'createSession' || operation.id === 'confirmSession') {
    const { email, password } = side.company.owner;
    return [{ method, path, body: operation.id === 'createSession' ? { email, password } : { password } }];
  }
  if (method === 'GET') return [{ method, path, body: undefined }];
  const examples: readonly BodyExample[] = Object.values(operation.bodyExamples ?? {});
  const bodies = examples.length === 0 ? [{}] : examples.map(({ value }) => value);
  return bodies.map((body) => ({ method, path, body }));
}

/**
 * Everything that a request to the console could change, but for when a session was last used, and when a key was: that
 * is written a while after the use.
 */
export async function readEverything(database: Pick<Pool, 'query'>): Promise<unknown> {
  const state: Record<string, readonly string[]> = {};
  for (const table of [
    'companies',
    'memberships',
    'provider_links',
    'second_factors',
    'password_links',
    'notification_recipients',
    'technical_contacts',
    'api_keys',
    'audit_entries',
    'subscriptions',
    'subscription_secrets',
    'webhook_proposals',
    'events',
    'deliveries',
    'finished_deliveries',
    'bulk_replays',
    'jobs',
    'leads',
    'appointments',
  ]) {
    const { rows } = await database.query<{ row: string }>(
      `select (to_jsonb(t) - 'last_used_at')::text as row from ${table} t order by 1`,
    );
    state[table] = rows.map(({ row }) => row);
  }
  return state;
}

export async function readSessionIds(session: OwnerSession): Promise<readonly string[]> {
  const { sessions } = sessionList.parse(
    (await expectStatus(200, session.call('GET', '/partner-api/sessions'))).json,
  );
  return sessions.map(({ id }) => id);
}

/** Makes an instant of a cookie's session old: until when its password counts, or its last request, so that it has expired. */
export async function endInstant(
  redisUrl: string,
  cookie: string,
  instant: 'confirmedUntil' | 'lastSeenAt',
): Promise<void> {
  const token = cookie.slice(cookie.indexOf('=') + 1);
  const id = createHash('sha256').update(token).digest('hex');
  await withRedis(redisUrl, async (client) => {
    const [key] = await client.keys(`*{sessions}:${id}`);
    if (key === undefined) throw new Error('the session is not kept where this looks for it');
    await client.hset(key, instant, '1');
  });
}

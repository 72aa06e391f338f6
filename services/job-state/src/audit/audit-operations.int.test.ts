import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { AttemptOutcome } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { runWithRequestId } from '@partner/kernel/telemetry/request-context';
import { recordAudit } from './record-audit.js';
import { connectAudit, type PublicAudit } from '../testing/public-clients.js';
import { connectDeliveries } from '../testing/public-deliveries.js';
import { connectAccess } from '../testing/access-client.js';
import { installerKey, installerOwner } from '../testing/callers.js';
import {
  failureOf,
  openSubscriptionFixture,
  type SubscriptionFixture,
} from '../testing/subscription-fixture.js';
import { insertMember } from '../testing/test-jobs.js';

let fixture: SubscriptionFixture;
let audit: PublicAudit;
let access: ReturnType<typeof connectAccess>;
let deliveries: ReturnType<typeof connectDeliveries>;
let companyId: string;

const actor = {
  membershipId: 'mem_olive',
  displayName: 'Olive Owner',
  remoteAddress: '203.0.113.7',
  userAgent: 'Browser/1.0',
};

beforeAll(async () => {
  fixture = await openSubscriptionFixture();
  const { database } = fixture;
  audit = connectAudit({ database });
  access = connectAccess({ database, clock: () => new Date() });
  deliveries = connectDeliveries({ database, logger: silentLogger });
});

beforeEach(async () => {
  companyId = await fixture.company();
});

afterAll(() => fixture.close());

/** The company's trail, oldest first. */
async function trail(of = companyId) {
  const { entries } = await audit.listAuditEntries({ companyId: of }, { limit: '100' });
  return entries
    .reverse()
    .map(({ action, subject: { type, id }, details }) => ({ action, subject: `${type} ${id}`, details }));
}

async function createWebhook() {
  const { subscription } = await fixture.client.createSubscription({
    companyId,
    actor,
    companyClass: 'INSTALLER',
    url: 'https://receiver.example/hooks?board=1',
    events: ['install.*'],
    description: 'Board',
  });
  return { companyId, subscriptionId: subscription.id };
}

describe('a change', () => {
  test('is recorded with its author, origin, time and request [CONSOLE-11]', async () => {
    const before = new Date();
    const { subscriptionId } = await runWithRequestId('request-1', createWebhook);
    const { entries } = await audit.listAuditEntries({ companyId });
    expect(entries).toHaveLength(1);
    const [entry] = entries;
    invariant(entry, 'the change is recorded');
    const { membershipId, displayName, remoteAddress, userAgent } = actor;
    expect(entry).toMatchObject({
      action: 'webhook.created',
      subject: { type: 'webhook', id: subscriptionId },
      actor: { membershipId, displayName },
      remoteAddress,
      userAgent,
      requestId: 'request-1',
    });
    const at = Date.parse(entry.at);
    expect(at).toBeGreaterThanOrEqual(before.getTime());
    expect(at).toBeLessThanOrEqual(Date.now());
  });

  test('of a webhook is recorded once for each that took effect [CONSOLE-11]', async () => {
    const webhook = await createWebhook();
    const { subscriptionId } = webhook;
    const request = { ...webhook, actor };
    const companyClass = 'INSTALLER';
    await fixture.client.updateSubscription({ ...request, companyClass, description: 'Other' });
    await fixture.client.updateSubscription({ ...request, companyClass, description: 'Other' });
    await fixture.client.updateSubscription({ ...request, companyClass, url: 'https://receiver.example/v2' });
    const deliveryId = await fixture.tested(webhook, AttemptOutcome.DELIVERED, 2);
    await fixture.client.activateSubscription(request);
    await fixture.client.activateSubscription(request);
    await fixture.client.pauseSubscription(request);
    await fixture.client.pauseSubscription(request);
    const { secret } = await fixture.client.rotateSecret(request);
    await fixture.client.activateSecret({ ...request, pendingSecretVersion: 2 });
    await fixture.client.activateSecret({ ...request, pendingSecretVersion: 2 });
    await fixture.client.deleteSubscription(request);

    const subject = `webhook ${subscriptionId}`;
    const url = 'https://receiver.example/…';
    expect(await trail()).toEqual([
      {
        action: 'webhook.created',
        subject,
        details: {
          url: 'https://receiver.example/hook…',
          events: ['install.*'],
          description: 'Board',
          schemaVersion: 1,
        },
      },
      {
        action: 'webhook.updated',
        subject,
        details: { changed: ['description'], description: 'Other', state: 'paused' },
      },
      { action: 'webhook.updated', subject, details: { changed: ['url'], url, state: 'paused' } },
      {
        action: 'webhook.tested',
        subject,
        details: { deliveryId, event: 'install.test', secretVersion: null },
      },
      { action: 'webhook.activated', subject, details: { backfillId: null } },
      { action: 'webhook.paused', subject, details: {} },
      { action: 'webhook.secret_rotated', subject, details: { pendingSecretVersion: 2 } },
      { action: 'webhook.secret_activated', subject, details: { secretVersion: 2 } },
      { action: 'webhook.deleted', subject, details: { url } },
    ]);
    const [kept] = await fixture.database.query<{ secrets: number }>(
      'select count(*)::integer as secrets from audit_entries a where strpos(a::text, $1) > 0',
      [secret],
    );
    expect(kept?.secrets).toBe(0);
  });

  test('of deliveries is recorded: a replay, and the start and the end of a bulk replay', async () => {
    const webhook = await fixture.activated(companyId);
    const { subscriptionId } = webhook;
    await fixture.event(companyId);
    const [delivery] = (await fixture.deliveriesOf(subscriptionId)).filter(({ is_test }) => !is_test);
    invariant(delivery, 'the event was queued');
    await fixture.finish('dead_lettered', delivery.id);
    const before = await trail();
    const created = await deliveries.createBulkReplay(webhook, {
      states: ['dead_lettered'],
      from: new Date(Date.now() - 3_600_000).toISOString(),
      to: new Date(Date.now() + 3_600_000).toISOString(),
      perMinute: 60,
    });
    const replayId = created.id;
    for (let repeat = 0; repeat < 2; repeat += 1) {
      await deliveries.cancelBulkReplay({ companyId, replayId });
    }
    const replay = await deliveries.replayDelivery({ companyId, deliveryId: delivery.id });
    expect((await trail()).slice(before.length)).toEqual([
      {
        action: 'bulk_replay.started',
        subject: `bulk_replay ${replayId}`,
        details: expect.objectContaining({
          subscriptionId,
          states: ['dead_lettered'],
          perMinute: 60,
          total: 1,
        }),
      },
      {
        action: 'bulk_replay.cancelled',
        subject: `bulk_replay ${replayId}`,
        details: { subscriptionId, kind: 'replay', queued: 0 },
      },
      {
        action: 'delivery.replayed',
        subject: `delivery ${delivery.id}`,
        details: { replayId: replay.id, subscriptionId, eventId: delivery.event_id },
      },
    ]);
  });

  test('of API keys is recorded, without the key [CONSOLE-11]', async () => {
    const by = { companyId };
    const made = await access.createKey(by, { body: { kind: 'installer-company' } });
    const keyId = made.key.id;
    const params = { id: keyId };
    const rotated = await access.rotateKey(by, { params, body: { overlapHours: 24 } });
    for (let repeat = 0; repeat < 2; repeat += 1) await access.revokeKey(by, { params });
    expect(await trail()).toEqual([
      {
        action: 'api_key.created',
        subject: `api_key ${keyId}`,
        details: {
          kind: 'installer-company',
          boundCompanyId: null,
          description: null,
          lastFour: made.key.lastFour,
        },
      },
      {
        action: 'api_key.rotated',
        subject: `api_key ${keyId}`,
        details: {
          replacedBy: rotated.key.id,
          lastFour: rotated.key.lastFour,
          overlapHours: 24,
          expiresAt: expect.stringMatching(/^\d{4}-.*Z$/),
        },
      },
      {
        action: 'api_key.revoked',
        subject: `api_key ${keyId}`,
        details: { kind: 'installer-company', lastFour: made.key.lastFour },
      },
    ]);
  });

  test('of a session is recorded for its owner only', async () => {
    const change = { sessionId: 'session-1', change: 'ended' } as const;
    const failure = await failureOf(audit.recordSessionChange(installerKey(companyId), change));
    expect(failure.reason).toBe('permission_denied');
    expect(await trail()).toEqual([]);
  });

  test('that fails leaves no entry, and one whose entry cannot be written is not made [CONSOLE-11]', async () => {
    const webhook = await createWebhook();
    await failureOf(fixture.client.activateSubscription({ ...webhook, actor }));
    await failureOf(fixture.client.activateSecret({ ...webhook, actor, pendingSecretVersion: 7 }));
    expect(await trail()).toHaveLength(1);
    await fixture.database.query(
      `alter table audit_entries add constraint no_pauses check (action <> 'webhook.deleted') not valid`,
    );
    try {
      await failureOf(fixture.client.deleteSubscription({ ...webhook, actor }));
    } finally {
      await fixture.database.query('alter table audit_entries drop constraint no_pauses');
    }
    expect((await fixture.client.getSubscription(webhook)).id).toBe(webhook.subscriptionId);
  });
});

describe('the author of a change', () => {
  test('is not named for a session of an erased company [PERSON-10]', async () => {
    const erased = await fixture.company();
    await fixture.database.query(
      `insert into erasures (id, subject, operator, requested_at) values ($1, jsonb_build_object('companyId', $2::text), 'olga', now())`,
      [newId('ers'), erased],
    );
    await audit.recordSessionChange(installerOwner(erased), { sessionId: 'session-1', change: 'ended' });
    expect(
      await fixture.database.query(
        'select membership_id, display_name, remote_address, user_agent from audit_entries where company_id = $1',
        [erased],
      ),
    ).toEqual([
      { membership_id: actor.membershipId, display_name: null, remote_address: null, user_agent: null },
    ]);
  });

  test('without identification is recorded as none, and one with only a membership by its name', async () => {
    const { subscriptionId: id } = await fixture.created(companyId);
    const displayName = 'Dana Whitfield';
    const membershipId = await insertMember(fixture.database, { companyId, displayName });
    for (const actor of [undefined, { membershipId }]) {
      await recordAudit(fixture.database, {
        ...{ companyId, actor, action: 'webhook.paused' },
        subject: { type: 'webhook', id },
      } as const);
    }
    const { entries } = await audit.listAuditEntries({ companyId }, { action: 'webhook.paused' });
    expect(entries.map((entry) => entry.actor)).toMatchObject([
      { membershipId, displayName: 'Dana Whitfield' },
      null,
    ]);
    await fixture.database.query('delete from memberships where id = $1', [membershipId]);
    const [nameless] = (await audit.listAuditEntries({ companyId })).entries;
    expect(nameless?.actor).toEqual({ membershipId, displayName: membershipId });
  });

  test('with a long user agent is recorded with its first 200 characters [CONSOLE-11]', async () => {
    const userAgent = `${'a'.repeat(200)}b`;
    const owner = { ...installerOwner(companyId), userAgent };
    await audit.recordSessionChange(owner, { sessionId: 's', change: 'started' });
    const { entries } = await audit.listAuditEntries({ companyId });
    expect(entries[0]?.userAgent).toBe('a'.repeat(200));
  });
});

import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
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
import { refusalOf } from '../testing/refusal-of.js';
import { fixture } from '../testing/file-subscriptions.js';
import { insertMember } from '../testing/test-jobs.js';

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

beforeAll(() => {
  const { database } = fixture;
  audit = connectAudit({ database });
  access = connectAccess({ database, clock: () => new Date() });
  deliveries = connectDeliveries({ database, logger: silentLogger });
});

beforeEach(async () => {
  companyId = await fixture.company();
});

/** The company's trail, oldest first: each action with its subject and details. */
async function trail(of = companyId) {
  const { entries } = await audit.listAuditEntries({ companyId: of }, { limit: '100' });
  return entries.reverse().map(({ action, subject, details }) => [action, subject, details]);
}

async function createWebhook() {
  const { subscription } = await fixture.client.createSubscription({
    ...{ companyId, actor, companyClass: 'INSTALLER', url: 'https://receiver.example/hooks?board=1' },
    ...{ events: ['install.*'], description: 'Board' },
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
    const { membershipId, displayName, ...origin } = actor;
    expect(entry).toMatchObject({
      ...{ action: 'webhook.created', subject: { type: 'webhook', id: subscriptionId } },
      ...{ actor: { membershipId, displayName }, ...origin, requestId: 'request-1' },
    });
    const at = Date.parse(entry.at);
    expect(at).toBeGreaterThanOrEqual(before.getTime());
    expect(at).toBeLessThanOrEqual(Date.now());
  });

  test('of a webhook is recorded once for each that took effect [CONSOLE-11]', async () => {
    const webhook = await createWebhook();
    const { subscriptionId } = webhook;
    const request = { ...webhook, actor };
    const { client } = fixture;
    const twice = async (change: () => Promise<unknown>) => {
      await change();
      await change();
    };
    await twice(() => client.updateSubscription({ ...request, description: 'Other' }));
    await client.updateSubscription({ ...request, url: 'https://receiver.example/v2' });
    const deliveryId = await fixture.tested(webhook, AttemptOutcome.DELIVERED, 2);
    await twice(() => client.activateSubscription(request));
    await twice(() => client.pauseSubscription(request));
    const { secret } = await client.rotateSecret(request);
    await twice(() => client.activateSecret({ ...request, pendingSecretVersion: 2 }));
    await client.deleteSubscription(request);

    const subject = { type: 'webhook', id: subscriptionId };
    const url = 'https://receiver.example/…';
    const created = { events: ['install.*'], description: 'Board', schemaVersion: 1 };
    const changed = { changed: ['description'], description: 'Other', state: 'paused' };
    expect(await trail()).toEqual([
      ['webhook.created', subject, { ...created, url: 'https://receiver.example/hook…' }],
      ['webhook.updated', subject, changed],
      ['webhook.updated', subject, { changed: ['url'], url, state: 'paused' }],
      ['webhook.tested', subject, { deliveryId, event: 'install.test', secretVersion: null }],
      ['webhook.activated', subject, { backfillId: null }],
      ['webhook.paused', subject, {}],
      ['webhook.secret_rotated', subject, { pendingSecretVersion: 2 }],
      ['webhook.secret_activated', subject, { secretVersion: 2 }],
      ['webhook.deleted', subject, { url }],
    ]);
    const kept = 'select from audit_entries a where strpos(a::text, $1) > 0';
    expect(await fixture.database.query(kept, [secret])).toEqual([]);
  });

  test('of deliveries is recorded: a replay, and the start and the end of a bulk replay', async () => {
    const webhook = await fixture.activated(companyId);
    const { subscriptionId } = webhook;
    await fixture.event(companyId);
    const [delivery] = (await fixture.deliveriesOf(subscriptionId)).filter(({ is_test }) => !is_test);
    invariant(delivery, 'the event was queued');
    await fixture.finish('dead_lettered', delivery.id);
    const before = await trail();
    const [from = '', to = ''] = [-1, 1].map((h) => new Date(Date.now() + h * 3_600_000).toISOString());
    const selection = { from, to, perMinute: 60 };
    const bulk = deliveries.createBulkReplay(webhook, { states: ['dead_lettered'], ...selection });
    const { id: replayId } = await bulk;
    for (let repeat = 0; repeat < 2; repeat += 1) {
      await deliveries.cancelBulkReplay({ companyId, replayId });
    }
    const replay = await deliveries.replayDelivery({ companyId, deliveryId: delivery.id });
    const bulkReplay = { type: 'bulk_replay', id: replayId };
    const started = { subscriptionId, states: ['dead_lettered'], perMinute: 60, total: 1 };
    const replayed = { replayId: replay.id, subscriptionId, eventId: delivery.event_id };
    expect((await trail()).slice(before.length)).toEqual([
      ['bulk_replay.started', bulkReplay, expect.objectContaining(started)],
      ['bulk_replay.cancelled', bulkReplay, { subscriptionId, kind: 'replay', queued: 0 }],
      ['delivery.replayed', { type: 'delivery', id: delivery.id }, replayed],
    ]);
  });

  test('of API keys is recorded, without the key [CONSOLE-11]', async () => {
    const by = { companyId };
    const { key } = await access.createKey(by, { body: { kind: 'installer-company' } });
    const params = { id: key.id };
    const rotated = await access.rotateKey(by, { params, body: { overlapHours: 24 } });
    for (let repeat = 0; repeat < 2; repeat += 1) await access.revokeKey(by, { params });
    const subject = { type: 'api_key', id: key.id };
    const made = { kind: 'installer-company', lastFour: key.lastFour };
    const { id: replacedBy, lastFour } = rotated.key;
    const expiresAt = expect.stringMatching(/^\d{4}-.*Z$/);
    expect(await trail()).toEqual([
      ['api_key.created', subject, { ...made, boundCompanyId: null, description: null }],
      ['api_key.rotated', subject, { replacedBy, lastFour, overlapHours: 24, expiresAt }],
      ['api_key.revoked', subject, made],
    ]);
  });

  test('of a session is recorded for its owner only', async () => {
    const change = { sessionId: 'session-1', change: 'ended' } as const;
    const failure = await refusalOf(audit.recordSessionChange(installerKey(companyId), change));
    expect(failure.reason).toBe('permission_denied');
    expect(await trail()).toEqual([]);
  });

  test('that fails leaves no entry, and one whose entry cannot be written is not made [CONSOLE-11]', async () => {
    const webhook = await createWebhook();
    await refusalOf(fixture.client.activateSubscription({ ...webhook, actor }));
    await refusalOf(fixture.client.activateSecret({ ...webhook, actor, pendingSecretVersion: 7 }));
    expect(await trail()).toHaveLength(1);
    await fixture.database.query(
      `alter table audit_entries add constraint no_pauses check (action <> 'webhook.deleted') not valid`,
    );
    try {
      await refusalOf(fixture.client.deleteSubscription({ ...webhook, actor }));
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
    const authors =
      'select membership_id, display_name, remote_address, user_agent from audit_entries where company_id = $1';
    expect(await fixture.database.query(authors, [erased])).toEqual([
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
    expect(entries.map((entry) => entry.actor)).toMatchObject([{ membershipId, displayName }, null]);
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

import { beforeEach, expect, test } from '@jest/globals';
import type { Caller } from '@partner/proto-contracts/call';
import * as operations from '@partner/proto-contracts/resources/webhook-proposal/operations';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';
import { installerOwner } from '../../testing/callers.js';
import { client, fixture } from '../../testing/file-subscriptions.js';
import { type OneResponse, parsedResponse } from '../../testing/parsed-response.js';
import { connectAudit } from '../../testing/public-clients.js';
import { failureOf } from '../../testing/subscription-fixture.js';
import { insertApiKey, insertMember } from '../../testing/test-jobs.js';
import { subscriptionOperations } from './subscription-operations.js';

const BOARD = { description: 'Board', url: 'https://receiver.example/board', events: ['install.*'] };
const ARCHIVE = { description: 'Archive', url: 'https://receiver.example/hooks', events: ['install.test'] };

let companyId: string;
let owner: Caller;

beforeEach(async () => {
  fixture.now = new Date('2026-08-26T14:03:00Z');
  companyId = await fixture.company();
  const member = { companyId, displayName: 'Olive' };
  owner = installerOwner(companyId, await insertMember(fixture.database, member));
});

const key = (keyId = `key_of_${companyId}`): Caller => ({
  ...{ kind: 'key', companyId, companyClass: 'INSTALLER', keyId },
});

async function call<Output>(
  operation: OneResponse<Output>,
  caller: Caller,
  sent: object = {},
  deps = fixture.deps,
) {
  const implementations = subscriptionOperations(deps);
  const served = inProcessOperations({ implementations, callers: ['owner', 'key'] });
  return parsedResponse(operation, await served.call(operation, { caller, ...sent }));
}

const propose = (body: object, caller = key()) => call(operations.proposeWebhooksOperation, caller, { body });
const proposed = async (body: object, caller = key()) => {
  const { proposal } = await propose(body, caller);
  return { params: { id: proposal?.id ?? '' } };
};
const plan = (body: object) => call(operations.planWebhooksOperation, key(), { body });
const read = (of: object, caller = owner) => call(operations.getWebhookProposalOperation, caller, of);
const confirm = (of: object, digest: string, caller = owner) =>
  call(operations.confirmWebhookProposalOperation, caller, { ...of, body: { digest } });
const reject = (of: object) => call(operations.rejectWebhookProposalOperation, owner, of);
const exported = () => call(operations.exportWebhooksOperation, key());
const trail = async () => {
  const { entries } = await connectAudit({ database: fixture.database }).listAuditEntries({ companyId });
  return entries.map(({ action, actor }) => [action, actor?.displayName]).reverse();
};
const notices = () =>
  fixture.database.query<{ count: number; details: Readonly<Record<string, unknown>> }>(
    `select count, details from security_notices where company_id = $1 and kind = 'webhooks_proposed'`,
    [companyId],
  );

test('a key proposes what an owner confirms: all changes together, and new secrets once [CONFIG-8, CONFIG-10]', async () => {
  const { subscriptionId } = await fixture.activated(companyId);
  const board = { ...BOARD, deliveriesPerSecond: 5 };
  const file = { webhooks: [board, { ...ARCHIVE, id: subscriptionId, ordered: true }] };
  const before = await trail();
  const { differences, unchanged, proposal } = await propose({ ...file, source: 'commit 1' });
  expect([differences, unchanged]).toEqual([
    [
      {
        ...{ kind: 'create', webhookId: null, description: 'Board' },
        changes: [
          { field: 'url', from: null, to: BOARD.url },
          { field: 'events', from: null, to: 'install.*' },
          { field: 'description', from: null, to: 'Board' },
          { field: 'deliveriesPerSecond', from: null, to: '5' },
        ],
      },
      {
        ...{ kind: 'change', webhookId: subscriptionId, description: '', pauses: false },
        changes: [
          { field: 'events', from: 'install.*', to: 'install.test' },
          { field: 'description', from: '', to: 'Archive' },
          { field: 'ordered', from: 'false', to: 'true' },
        ],
      },
    ],
    0,
  ]);
  const short = { id: subscriptionId, url: 'https://receiver.example/h…' };
  expect((await exported()).webhooks).toMatchObject([short]);
  const of = { params: { id: proposal?.id } };
  const seen = await read(of);
  expect(seen).toMatchObject({ ...proposal, differences, changedSince: [], settledSince: [], problems: [] });

  const { created, ...confirmed } = await confirm(of, seen.digest);
  expect(confirmed.proposal).toMatchObject({ state: 'confirmed', decidedBy: 'Olive' });
  const subscription = { ...board, state: 'paused', secretShown: true };
  expect(created).toMatchObject([{ secret: expect.stringMatching(/^whsec_/), subscription }]);
  expect(await plan(file)).toEqual({ differences: [], unchanged: 2, proposal: null });
  expect((await plan(await exported())).differences).toEqual([]);
  expect((await trail()).slice(before.length)).toEqual([
    ['webhook_proposal.filed', `API key key_of_${companyId}`],
    ['webhook.created', 'Olive Owner'],
    ['webhook.updated', 'Olive Owner'],
    ['webhook.updated', 'Olive Owner'],
    ['webhook_proposal.confirmed', 'Olive Owner'],
  ]);
  expect(await read(of)).toMatchObject({ state: 'confirmed', differences });
  expect((await failureOf(confirm(of, seen.digest))).reason).toBe('stale_version');
});

test('a file that would leave too many webhooks is refused as a whole [CONFIG-8]', async () => {
  await fixture.created(companyId);
  const webhooks = Array.from({ length: 50 }, (_, number) => ({ ...BOARD, description: `Board ${number}` }));
  expect((await failureOf(plan({ webhooks }))).message).toContain('at most 50 webhooks, not 51');
  expect((await plan({ webhooks, prune: true })).differences).toHaveLength(51);
});

test('a plan, a proposal and a confirmation refuse what the service cannot send to or sign [CONFIG-8, CONFIG-10]', async () => {
  const away = { ...BOARD, url: 'https://private.example/', asymmetricSignature: true };
  const body = { webhooks: [{ ...BOARD, description: 'Fine' }, away] };
  const unsigned = { ...fixture.deps, signingKeys: undefined };
  for (const operation of [operations.planWebhooksOperation, operations.proposeWebhooksOperation]) {
    const refused = await failureOf(call(operation, key(), { body }, unsigned));
    expect(refused.attributes.details).toEqual([
      { path: 'webhooks.1.url', message: 'must lead to a public address' },
      { path: 'webhooks.1.asymmetricSignature', message: expect.stringContaining('no signing keys') },
    ]);
  }
  expect(await notices()).toEqual([]);
  const of = await proposed({ webhooks: [{ ...BOARD, asymmetricSignature: true }] });
  const { digest } = await read(of);
  const confirmation = { ...of, body: { digest } };
  const late = call(operations.confirmWebhookProposalOperation, owner, confirmation, unsigned);
  expect((await failureOf(late)).reason).toBe('invalid_argument');
  expect((await exported()).webhooks).toEqual([]);
});

test('a proposal ends with its key [CONFIG-10]', async () => {
  const { keyId } = await insertApiKey(fixture.database, { companyId });
  const of = await proposed({ webhooks: [BOARD] }, key(keyId));
  const { digest } = await read(of);
  await fixture.database.query('update api_keys set revoked_at = now() where id = $1', [keyId]);
  expect(await read(of)).toMatchObject({ state: 'expired' });
  expect((await failureOf(confirm(of, digest))).reason).toBe('stale_version');
});

test('a confirmation of other changes than the owner saw, or of which one fails, changes nothing [CONFIG-10]', async () => {
  const { subscriptionId } = await fixture.created(companyId);
  const of = await proposed({ webhooks: [{ ...ARCHIVE, id: subscriptionId }, BOARD] });
  const first = await read(of);
  await client.updateSubscription({ companyId, subscriptionId, description: 'By hand' });
  const state = () => Promise.all([exported(), trail()]);
  expect((await failureOf(confirm(of, first.digest))).reason).toBe('stale_version');
  const second = await read(of);
  const { changedSince, settledSince, differences } = second;
  expect([changedSince.length, settledSince.length, differences.length]).toEqual([1, 1, 2]);
  const byHand = { field: 'description', from: 'By hand', to: 'Archive' };
  expect(changedSince[0]?.changes).toContainEqual(byHand);

  // While its URLs are checked, before the transaction.
  fixture.dispatcher.onCall = async () => {
    fixture.dispatcher.onCall = () => undefined;
    await client.updateSubscription({ companyId, subscriptionId, description: 'Meanwhile' });
  };
  expect((await failureOf(confirm(of, second.digest))).reason).toBe('stale_version');
  const { digest } = await read(of);
  const before = await state();
  const logged = fixture.logLines.length;
  await fixture.database.query(
    `alter table audit_entries add constraint no_creation check (action <> 'webhook.created') not valid`,
  );
  try {
    expect((await failureOf(confirm(of, digest))).reason).toBe('internal');
  } finally {
    await fixture.database.query('alter table audit_entries drop constraint no_creation');
  }
  expect(await state()).toEqual(before);
  expect(fixture.logLines).toHaveLength(logged);
  expect((await confirm(of, digest)).created).toHaveLength(1);
});

test('the same file is the same proposal, another one takes its place, and one without a change withdraws it [CONFIG-9]', async () => {
  const of = await proposed({ webhooks: [BOARD] });
  expect(await proposed({ webhooks: [BOARD], source: 'later' })).toEqual(of);
  expect(await notices()).toMatchObject([{ count: 1, details: { proposalId: of.params.id } }]);
  const { digest } = await read(of);
  const other = { webhooks: [BOARD, { ...ARCHIVE, url: 'https://receiver.example/a-secret-path' }] };
  expect(await proposed(other)).toEqual(of);
  const [notice] = await notices();
  expect(notice).toMatchObject({ count: 2 });
  expect(JSON.stringify(notice?.details)).not.toContain('secret-path');
  expect((await failureOf(confirm(of, digest))).reason).toBe('stale_version');
  expect(await proposed({ webhooks: [BOARD] }, key(`key_2_of_${companyId}`))).not.toEqual(of);
  for (const _ of ['withdraws', 'has nothing to withdraw'])
    expect((await propose({ webhooks: [] })).proposal).toBeNull();
  expect((await trail()).map(([action]) => action)).toEqual([
    ...['webhook_proposal.filed', 'webhook_proposal.filed', 'webhook_proposal.filed'],
    'webhook_proposal.withdrawn',
  ]);
  expect((await failureOf(read(of))).reason).toBe('not_found');
});

test('a proposal is rejected once, or expires after 7 days, and can be proposed again [CONFIG-9]', async () => {
  const body = { webhooks: [BOARD] };
  const of = await proposed(body);
  expect(await reject(of)).toMatchObject({ state: 'rejected', decidedBy: 'Olive' });
  expect(await reject(of)).toMatchObject({ state: 'rejected' });
  expect((await plan(body)).proposal).toMatchObject({ ...{ id: of.params.id }, state: 'rejected' });
  const again = await proposed(body);
  expect(again).not.toEqual(of);
  const { digest } = await read(again);
  fixture.now = new Date(fixture.now.getTime() + 7 * 86_400_000);
  expect((await plan(body)).proposal).toMatchObject({ state: 'expired' });
  for (const decision of [confirm(again, digest), reject(again)])
    expect((await failureOf(decision)).reason).toBe('stale_version');
  await proposed(body);
  expect(await read(again)).toMatchObject({ state: 'pending' });
});

test('a file deletes only with prune, and what it leaves out stays [CONFIG-8]', async () => {
  const { subscriptionId } = await fixture.created(companyId);
  expect(await propose({ webhooks: [] })).toMatchObject({
    differences: [{ kind: 'unlisted', webhookId: subscriptionId }],
    proposal: null,
  });
  const of = await proposed({ webhooks: [], prune: true });
  await confirm(of, (await read(of)).digest);
  expect(await exported()).toEqual({ webhooks: [] });
});

test('a proposal whose webhook is gone says so, and a file with secrets, headers or wrong events is refused [CONFIG-8]', async () => {
  const of = await fixture.created(companyId);
  const filed = await proposed({ webhooks: [{ ...ARCHIVE, id: of.subscriptionId }] });
  await client.deleteSubscription(of);
  const { problems, digest } = await read(filed);
  expect(problems).toEqual([`webhooks.0: ${of.subscriptionId} is not a webhook of this company`]);
  expect((await failureOf(confirm(filed, digest))).reason).toBe('invalid_argument');
  const short = { ...BOARD, url: 'https://receiver.example/b…' };
  expect((await failureOf(propose({ webhooks: [short] }))).attributes.details).toEqual([
    { path: 'webhooks.0.url', message: 'must be the whole URL of a webhook whose URL changes' },
  ]);
  for (const wrong of [{ secret: 'whsec_AAAA' }, { headers: [] }, { events: ['sales.*'] }]) {
    const refused = await failureOf(propose({ webhooks: [{ ...BOARD, ...wrong }] }));
    expect(refused.reason).toBe('invalid_argument');
    expect(refused.attributes.details?.[0]?.path).toMatch(/^webhooks\.0/);
  }
});

test('only its company reads and decides a proposal, and a key decides none [CONFIG-8, AUTH-6]', async () => {
  const of = await proposed({ webhooks: [BOARD] });
  const { digest } = await read(of);
  const stranger = installerOwner(await fixture.company());
  for (const refused of [read(of, stranger), confirm(of, digest, stranger)])
    expect((await failureOf(refused)).reason).toBe('not_found');
  const listed = await call(operations.listWebhookProposalsOperation, stranger);
  expect(listed.proposals).toEqual([]);
  expect((await failureOf(confirm(of, digest, key()))).reason).toBe('permission_denied');
  expect((await failureOf(propose({ webhooks: [BOARD] }, owner))).reason).toBe('permission_denied');
  const viewer: Caller = { ...installerOwner(companyId), role: 'viewer' };
  expect((await read(of, viewer)).differences[0]?.changes[0]?.to).toBe('https://receiver.example/b…');
});

import { expect, test } from '@jest/globals';
import { jobResponse } from '@partner/proto-contracts/resources/job/job';
import { jobFeedResponse } from '@partner/proto-contracts/resources/feed-entry/feed-entry';
import { deliveryWithAttempts } from '@partner/proto-contracts/resources/delivery/delivery';
import { eventually } from '@partner/test-kit/eventually';
import { createActiveSubscription, readDeliveries, signIn } from '../support/owner-session.js';
import { apiKeyOf } from '../support/test-stack.js';
import { type AcceptanceWorld, RETRY_BASE_MS } from './acceptance-world.js';

/** Slots of a subscription by default. */
const SLOTS = 10;
const EVENTS = 12;
/** Of the receiver. */
const PATH = '/webhooks/retry-schedule';

/** When attempts of a failing endpoint are made. */
export function describeRetrySchedule(world: () => AcceptanceWorld): void {
  test('retries a failing endpoint in all of its slots, never before the backoff, and shows what waits for a slot [DELIVERY-16, DELIVERY-17]', async () => {
    const { stack, answers, send } = world();
    const [company] = stack.companies('INSTALLER');
    if (company === undefined) throw new Error('the sandbox has no installer company');
    const owner = await signIn(stack.baseUrl, company.owner);
    const webhook = await createActiveSubscription(owner, {
      url: `${stack.receiverUrl}/retry-schedule`,
      events: ['install.schedule_changed'],
    });

    // The receiver answers nothing until as many requests are in flight as the subscription has slots.
    let release: () => void = () => undefined;
    const answerTogether = (status: number) => {
      const until = new Promise<void>((resolve) => (release = resolve));
      answers.set(PATH, { kind: 'status', status, until });
    };
    const untilAllSlotsAreInUse = (status: number) =>
      eventually('all slots in use and the rest due', async () => {
        const held = stack.receiver.received.filter(
          ({ path, answeredStatus }) => path === PATH && answeredStatus === status,
        );
        if (held.length < SLOTS) return false;
        const { deliveries } = await readDeliveries(owner, webhook.id);
        const unfinished = deliveries.filter(({ finishedAt }) => finishedAt === null);
        const waiting = unfinished.flatMap(({ nextAttemptAt }) => nextAttemptAt ?? []);
        const inFlight = unfinished.length - waiting.length;
        expect(inFlight).toBeLessThanOrEqual(SLOTS);
        return (
          unfinished.length === EVENTS &&
          inFlight === SLOTS &&
          waiting.every((dueAt) => Date.parse(dueAt) <= Date.now())
        );
      });

    answerTogether(503);
    const apiKey = { 'x-api-key': apiKeyOf(company, 'installer-company') };
    const feed = await send({
      method: 'GET',
      path: '/partner/v1/jobs?view=snapshot&limit=100',
      headers: apiKey,
    });
    const job = jobFeedResponse
      .parse(feed.json)
      .resources.map(({ resource }) => resource)
      .find(({ status }) => status === 'ACKNOWLEDGED' || status === 'ASSIGNED');
    if (job === undefined) throw new Error('the sandbox has no job whose schedule can be set');
    let expectedVersion = job.version;
    for (let day = 1; day <= EVENTS; day += 1) {
      const date = `2031-05-${String(day).padStart(2, '0')}`;
      const scheduled = await send({
        method: 'PUT',
        path: `/partner/v1/jobs/${job.id}/schedule`,
        headers: { ...apiKey, 'idempotency-key': `retry-schedule-${day}` },
        json: {
          status: 'CONFIRMED',
          startsAt: `${date}T15:00:00Z`,
          endsAt: `${date}T18:00:00Z`,
          timeZone: 'America/Chicago',
          expectedVersion,
        },
      });
      expect([scheduled.status, scheduled.text]).toEqual([200, scheduled.text]);
      expectedVersion = jobResponse.parse(scheduled.json).resource.version;
    }
    await untilAllSlotsAreInUse(503);
    const failTogether = release;
    answerTogether(200);
    failTogether();

    await untilAllSlotsAreInUse(200);
    release();
    const deliveries = await eventually('all delivered', async () => {
      const page = await readDeliveries(owner, webhook.id);
      return page.deliveries.every(({ state }) => state === 'delivered') && page.deliveries;
    });
    for (const { id } of deliveries) {
      const found = await owner.call('GET', `/partner-api/deliveries/${id}`);
      const { attempts } = deliveryWithAttempts.parse(found.json);
      for (const [index, attempt] of attempts.entries()) {
        const before = attempts[index - 1];
        if (before === undefined) continue;
        const endedAt = Date.parse(before.startedAt) + before.durationMs;
        const backoffMs = RETRY_BASE_MS * 2 ** (before.number - 1);
        expect(Date.parse(attempt.startedAt)).toBeGreaterThanOrEqual(endedAt + backoffMs);
      }
    }
    await owner.call('DELETE', `/partner-api/webhooks/${webhook.id}`);
  });
}

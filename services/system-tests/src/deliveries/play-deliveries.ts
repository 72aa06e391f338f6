import { setTimeout as delay } from 'node:timers/promises';
import { RECEIVER_HOST } from '@partner/local-stack/stack/receiver-hosts';
import type { SandboxCompany } from '@partner/local-stack/stack/stack-description';
import type { StackOptions } from '@partner/local-stack/stack/stack-plan';
import { eventually } from '@partner/test-kit/eventually';
import type { Call } from '@partner/test-kit/http-call';
import { callUntilResponse } from '../support/http-call.js';
import { startTestStack, type TestStack } from '../support/test-stack.js';
import type { DeliveryHistory, Span } from './delivery-history.js';
import { FAULTY_REPLICAS } from './fault-plan.js';
import { openSubscription, type OwnedSubscription } from './owner-moves.js';
import { followFeeds, partnerCompany } from './partner-readings.js';
import { patientOwner } from './patient-calls.js';
import { HOSTILE_PATHS, scriptedReceiver } from './receiver-script.js';
import { createWorkload } from './workload.js';

const RETRY_BASE_MS = 100;
const LEASE_SECONDS = 20;
/** What an attempt is given of its lease before it begins, in milliseconds: its 10 s and the report of its end. */
const ATTEMPT_MS = 12_000;
/** After an outage no lease ends for so long. */
const RESULTS_FIRST_MS = 15_000;
/** A lost message is felt until its lease has ended, and then for the attempt that follows. */
const AFTERMATH_MS = LEASE_SECONDS * 1_000 + RESULTS_FIRST_MS + ATTEMPT_MS;
/** Longer than what was in flight at its beginning. */
const LONG_PAUSE_MS = 12_000;

/** A separate stack for the recording of deliveries, with short retries and a receiver that follows the script of the seed. */
export function startDeliveryStack(
  seed: number,
  backingServices: StackOptions['backingServices'] = { kind: 'private' },
): Promise<TestStack> {
  return startTestStack({
    backingServices,
    replicas: FAULTY_REPLICAS,
    settings: {
      'job-state': {
        WEBHOOK_RETRY_BASE_MS: String(RETRY_BASE_MS),
        DELIVERY_LEASE_SECONDS: String(LEASE_SECONDS),
        SCHEDULER_INTERVAL_MS: '50',
      },
    },
    respond: scriptedReceiver(seed),
  });
}

/**
 * Plays clients and owners of several companies on a stack for a span, with faults beside them, waits until
 * every delivery has finished, and returns all that was seen.
 */
export async function playDeliveries(
  stack: TestStack,
  play: {
    readonly seed: number;
    readonly spanMs: number;
    /** How long what is unfinished at the end of the span may take, in milliseconds. */
    readonly finishWithinMs: number;
    readonly moves: boolean;
    /** Plays the faults and resolves once they are over, with when each of them was. */
    readonly faults: () => Promise<readonly Span[]>;
  },
): Promise<DeliveryHistory> {
  const { database } = stack;
  const companies = [...stack.companies('INSTALLER'), ...stack.companies('SALES')];
  // Writes come faster than the standard limit lets through.
  await database.query('update companies set installer_requests_per_minute = 100000');
  const beganAt = Date.now();
  const send = (path: string, request: Call) => callUntilResponse(stack.baseUrl, path, request);
  const partners = followFeeds(companies.map(partnerCompany), send);
  const opened = await openSubscriptions(stack);
  const workload = createWorkload(
    stack,
    { installers: stack.companies('INSTALLER'), sellers: stack.companies('SALES') },
    { seed: play.seed, pauseMs: { least: 300, most: 2_000 }, send },
  );
  await workload.prepare();
  const faults = play.faults();
  const spanEnd = Date.now() + play.spanMs;
  let haveMoved = false;
  const moves = play.moves ? movesOfOwners(stack, opened, workload.writes, play) : [];
  const moving = allEnded(moves).finally(() => {
    haveMoved = true;
  });
  // A move may wait for a write, which takes longer than the span where the servers are slow.
  await allEnded([faults, moving, workload.run(() => haveMoved && Date.now() >= spanEnd)]);
  await stack.deliveriesAreFinished(play.finishWithinMs);
  const subscriptions = Object.values(opened)
    .flat()
    .map(({ history }) => history);
  return {
    settings: {
      retryBaseMs: RETRY_BASE_MS,
      leaseMs: LEASE_SECONDS * 1_000,
      underWayMs: LEASE_SECONDS * 1_000 - ATTEMPT_MS,
    },
    beganAt,
    companyIds: companies.map(({ id }) => id),
    writes: workload.writes,
    leads: workload.leads,
    subscriptions,
    requests: stack.receiver.received,
    readings: await partners.finish(subscriptions),
    unsettled: (await faults).map(({ from, to }) => ({ from, to: to + AFTERMATH_MS })),
  };
}

/** Subscriptions of four companies, each named after what becomes of it; a third have hostile receivers. */
async function openSubscriptions(stack: TestStack) {
  const [installer, otherInstaller] = [stack.company('INSTALLER'), stack.company('INSTALLER', 1)];
  const [seller, otherSeller] = [stack.company('SALES'), stack.company('SALES', 1)];
  const origin = `https://${RECEIVER_HOST}`;
  const open = ({ id, owner }: SandboxCompany, path: string, ...events: readonly string[]) => {
    const ordered = path === '/ordered';
    return openSubscription(patientOwner(stack.baseUrl, owner), {
      ...{ companyId: id, origin, path, events, ordered },
    });
  };
  const [ordered, rotated, paused, backfilled, moved, sold, soldToo, ...hostile] = await Promise.all([
    open(installer, '/ordered', 'install.*'),
    open(installer, '/rotated', 'install.*'),
    open(otherInstaller, '/paused', 'install.status_changed', 'install.schedule_changed'),
    open(otherInstaller, '/back-filled', 'install.status_changed'),
    open(otherInstaller, '/moved', 'install.*'),
    open(seller, '/sold', 'appointment.booked'),
    open(otherSeller, '/sold-too', 'appointment.booked'),
    open(installer, HOSTILE_PATHS.fails, 'install.schedule_changed'),
    open(otherInstaller, HOSTILE_PATHS.slow, 'install.schedule_changed'),
    open(seller, HOSTILE_PATHS.resets, 'appointment.booked'),
    open(otherSeller, HOSTILE_PATHS.garbage, 'appointment.booked'),
  ]);
  return { rotated, paused, backfilled, moved, others: [ordered, sold, soldToo, ...hostile] };
}

/** What the owners do in the span, each beside the others. */
function movesOfOwners(
  stack: TestStack,
  opened: Awaited<ReturnType<typeof openSubscriptions>>,
  writes: DeliveryHistory['writes'],
  { spanMs, finishWithinMs }: { readonly spanMs: number; readonly finishWithinMs: number },
): readonly Promise<void>[] {
  return [
    pauseOnce(opened.paused, 0.4 * spanMs),
    // At once, since a back-fill waits until what was in flight with it has settled.
    missOnce(opened.backfilled, stack.company('INSTALLER', 1).id, { writes, finishWithinMs }),
    rotateTwice(opened.rotated, spanMs),
    moveOnce(opened.moved, spanMs),
  ];
}

/** Resolves, or rejects with the first failure, once all have finished: nothing continues behind a failed test. */
async function allEnded(works: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(works);
  await Promise.all(works);
}

async function pauseOnce(subscription: OwnedSubscription, afterMs: number): Promise<void> {
  await delay(afterMs);
  await subscription.pause();
  await delay(LONG_PAUSE_MS);
  await subscription.activate({ backfill: false });
}

/** Pauses a subscription to moves of jobs until it has missed one, and asks for what it missed. */
async function missOnce(
  subscription: OwnedSubscription,
  companyId: string,
  { writes, finishWithinMs }: { readonly writes: DeliveryHistory['writes']; readonly finishWithinMs: number },
): Promise<void> {
  await subscription.pause();
  const pausedAt = Date.now();
  const isMissed = (write: DeliveryHistory['writes'][number]) =>
    write.companyId === companyId &&
    write.sentAt >= pausedAt &&
    write.tells.some(({ name }) => name === 'install.status_changed');
  await eventually('an event during the pause', () => writes.some(isMissed), { timeoutMs: finishWithinMs });
  await subscription.activate({ backfill: true });
}

async function rotateTwice(subscription: OwnedSubscription, spanMs: number): Promise<void> {
  await delay(0.2 * spanMs);
  await subscription.rotate();
  await delay(0.3 * spanMs);
  await subscription.rotate();
}

async function moveOnce(subscription: OwnedSubscription, spanMs: number): Promise<void> {
  await delay(0.4 * spanMs);
  await subscription.moveTo('/moved-here');
}

import { setTimeout as delay } from 'node:timers/promises';
import { RECEIVER_HOST } from '@partner/local-stack/stack/receiver-hosts';
import type { SandboxCompany } from '@partner/local-stack/stack/stack-description';
import type { StackOptions } from '@partner/local-stack/stack/stack-plan';
import { eventsMatching } from '@partner/proto-contracts/events/webhook-events';
import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import { eventually } from '@partner/test-kit/eventually';
import { startTestStack, type TestStack } from '../support/test-stack.js';
import type { DeliveryHistory, Span } from './delivery-history.js';
import { FAULTY_REPLICAS } from './fault-plan.js';
import { TEST_EVENT } from './history-index.js';
import { openSubscription, type OwnedSubscription } from './owner-moves.js';
import { patientOwner, writePatiently } from './patient-calls.js';
import { readDeliveries, readEvents, waitUntilFinished } from './read-history.js';
import { FAILING_PATH, scriptedReceiver } from './receiver-script.js';
import { createWorkload } from './workload.js';

const RETRY_BASE_MS = 100;
const LEASE_SECONDS = 20;
/** What an attempt is given of its lease before it begins, in milliseconds: its 10 s and the report of its end. */
const ATTEMPT_MS = 12_000;
/** A lost message is felt until its lease has ended, and then for the attempt that follows. */
const AFTERMATH_MS = LEASE_SECONDS * 1_000 + ATTEMPT_MS;
/** Longer than what was in flight at its beginning. */
const LONG_PAUSE_MS = 12_000;

/** A separate stack for the recording of deliveries, with short retries and a receiver that follows the script of the seed. */
export function startDeliveryStack(
  seed: number,
  parts: StackOptions['parts'] = { kind: 'private' },
): Promise<TestStack> {
  return startTestStack({
    parts,
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

/** A recorded history, and how much there is in it. */
export interface PlayedDeliveries {
  readonly history: DeliveryHistory;
  readonly summary: string;
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
    /** Whether owners pause, move and rotate meanwhile. */
    readonly moves: boolean;
    /** Plays the faults and resolves once they are over, with when each of them was. */
    readonly faults: () => Promise<readonly Span[]>;
  },
): Promise<PlayedDeliveries> {
  const { database } = stack;
  const companies = [...stack.companies('INSTALLER'), ...stack.companies('SALES')];
  const companyIds = companies.map(({ id }) => id);
  // Writes come faster than the standard limit lets through.
  await database.query('update companies set installer_requests_per_minute = 100000');
  const before = new Set((await readEvents(database, companyIds, new Set())).map(({ id }) => id));

  const ownerOf = ownersOf(stack.baseUrl, companies);
  const opened = await openSubscriptions(stack, ownerOf);
  const workload = createWorkload(
    stack,
    { installers: stack.companies('INSTALLER'), sellers: stack.companies('SALES') },
    {
      seed: play.seed,
      pauseMs: { least: 300, most: 2_000 },
      send: (path, request) => writePatiently(stack.baseUrl, path, request),
    },
  );
  await workload.prepare();
  const faults = play.faults();
  const spanEnd = Date.now() + play.spanMs;
  let haveMoved = false;
  const moving = allEnded(play.moves ? movesOfOwners(opened, workload.writes, play) : []).finally(() => {
    haveMoved = true;
  });
  // A move may wait for a write, which takes longer than the span where the servers are slow.
  await allEnded([faults, moving, workload.run(() => haveMoved && Date.now() >= spanEnd)]);
  const subscriptions = Object.values(opened);

  const readable = subscriptions.map(({ history }) => ({
    id: history.id,
    owner: ownerOf(history.companyId),
  }));
  await waitUntilFinished(readable, database, play.finishWithinMs);
  const history: DeliveryHistory = {
    settings: {
      retryBaseMs: RETRY_BASE_MS,
      leaseMs: LEASE_SECONDS * 1_000,
      underWayMs: LEASE_SECONDS * 1_000 - ATTEMPT_MS,
    },
    writes: workload.writes,
    events: await readEvents(database, companyIds, before),
    subscriptions: subscriptions.map((one) => one.history),
    deliveries: await readDeliveries(readable),
    requests: stack.receiver.received,
    unsettled: (await faults).map(({ from, to }) => ({ from, to: to + AFTERMATH_MS })),
  };
  return { history, summary: summaryOf(history) };
}

type OwnerOf = (companyId: string) => ReturnType<typeof patientOwner>;

function ownersOf(baseUrl: string, companies: readonly SandboxCompany[]): OwnerOf {
  const owners = new Map(companies.map((one) => [one.id, patientOwner(baseUrl, one.owner)]));
  return (companyId) => {
    const owner = owners.get(companyId);
    if (owner === undefined) throw new Error(`${companyId} has no owner`);
    return owner;
  };
}

/** Subscriptions of four companies, each named after what becomes of it. */
async function openSubscriptions(stack: TestStack, ownerOf: OwnerOf) {
  const [installer, otherInstaller] = [stack.company('INSTALLER'), stack.company('INSTALLER', 1)];
  const [seller, otherSeller] = [stack.company('SALES'), stack.company('SALES', 1)];
  const open = (company: SandboxCompany, path: string, ...patterns: readonly string[]) => {
    const origin = `https://${RECEIVER_HOST}`;
    const events = eventsOf(patterns, company.class);
    return openSubscription(ownerOf(company.id), { companyId: company.id, origin, path, patterns, events });
  };
  const [steady, rotated, failing, paused, backfilled, moved, sold, soldToo] = await Promise.all([
    open(installer, '/steady', 'install.*'),
    open(installer, '/rotated', 'install.*'),
    open(installer, FAILING_PATH, 'install.schedule_changed'),
    open(otherInstaller, '/paused', 'install.status_changed', 'install.schedule_changed'),
    open(otherInstaller, '/back-filled', 'install.status_changed'),
    open(otherInstaller, '/moved', 'install.*'),
    open(seller, '/sold', 'appointment.booked'),
    open(otherSeller, '/sold-too', 'appointment.booked'),
  ]);
  return { steady, rotated, failing, paused, backfilled, moved, sold, soldToo };
}

/** What the owners do in the span, each beside the others. */
function movesOfOwners(
  opened: Awaited<ReturnType<typeof openSubscriptions>>,
  writes: DeliveryHistory['writes'],
  { spanMs, finishWithinMs }: { readonly spanMs: number; readonly finishWithinMs: number },
): readonly Promise<void>[] {
  return [
    pauseOnce(opened.paused, 0.4 * spanMs),
    // At once, since a back-fill waits until what was in flight with it has settled.
    missOnce(opened.backfilled, writes, finishWithinMs),
    rotateTwice(opened.rotated, spanMs),
    moveOnce(opened.moved, spanMs),
  ];
}

/** Resolves, or rejects with the first failure, once all have finished: nothing continues behind a failed test. */
async function allEnded(works: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(works);
  await Promise.all(works);
}

function eventsOf(patterns: readonly string[], companyClass: CompanyClassName): readonly string[] {
  return patterns
    .flatMap((pattern) => eventsMatching(pattern, companyClass))
    .filter((name) => name !== TEST_EVENT);
}

async function pauseOnce(subscription: OwnedSubscription, afterMs: number): Promise<void> {
  await delay(afterMs);
  await subscription.pause();
  await delay(LONG_PAUSE_MS);
  await subscription.activate({ backfill: false });
}

/** Pauses a subscription until it has missed an event, and asks for what it missed. */
async function missOnce(
  subscription: OwnedSubscription,
  writes: DeliveryHistory['writes'],
  finishWithinMs: number,
): Promise<void> {
  await subscription.pause();
  const pausedAt = Date.now();
  const { companyId, events } = subscription.history;
  await eventually(
    'an event during the pause',
    () =>
      writes.some(
        (write) =>
          write.companyId === companyId &&
          write.sentAt >= pausedAt &&
          write.tells.some(({ name }) => events.some((event) => event === name)),
      ),
    { timeoutMs: finishWithinMs },
  );
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

function summaryOf({ writes, events, requests, deliveries }: DeliveryHistory): string {
  const inState = (state: string) => deliveries.filter(({ delivery }) => delivery.state === state).length;
  const attempts = deliveries.reduce((sum, shown) => sum + shown.attempts.length, 0);
  return [
    `${writes.length} writes`,
    `${events.length} events`,
    `${deliveries.length} deliveries`,
    `${inState('delivered')} delivered`,
    `${inState('dead_lettered')} dead-lettered`,
    `${attempts} attempts recorded`,
    `${requests.length} POSTs received`,
  ].join(', ');
}

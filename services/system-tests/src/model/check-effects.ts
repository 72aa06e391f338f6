import { isDeepStrictEqual } from 'node:util';
import {
  type EventName,
  eventData,
  webhookEnvelope,
} from '@partner/proto-contracts/public-api/webhook-events';
import type { ReceivedWebhook } from '../support/webhook-receiver.js';
import { parseJson } from './asked.js';
import { differences } from './differences.js';
import type { FinalState } from './final-state.js';
import type { ChainLink } from './chain-link.js';
import type { JobChain } from './job-chains.js';
import { readinessOf } from './job-model.js';
import type { Timeline } from './timeline.js';
import type { World } from './world.js';

/** Something that a company is told. */
interface ExpectedEvent {
  readonly companyId: string;
  readonly name: EventName;
  readonly resourceId: string;
  readonly version: number;
  readonly data: unknown;
}

/**
 * Checks what follows from the changes: the history of statuses and the events are those that the versions make, each once;
 * and each event has one delivery for each active subscription that takes it, and its webhooks arrive, all with the same
 * bytes.
 */
export function checkEffects(
  world: Pick<World, 'subscriptions'>,
  timeline: Timeline,
  final: FinalState,
  webhooks: readonly ReceivedWebhook[],
): string[] {
  return [
    ...timeline.chains.flatMap((chain) =>
      checkStatusEvents(chain, final).map((fault) => `job ${chain.job.id}: ${fault}`),
    ),
    ...checkEvents(timeline.chains, final),
    ...checkDeliveries(world, final, webhooks),
  ];
}

function checkStatusEvents({ job, links }: JobChain, final: FinalState): string[] {
  const expected = links.flatMap(({ version, state, maker }, place) =>
    maker.kind !== 'write' || maker.write.kind !== 'status'
      ? []
      : [
          {
            version,
            company: state.installerId,
            from: links[place - 1]?.state.status,
            to: state.status,
            occurredAt: maker.write.occurredAt,
            note: maker.write.note ?? null,
            blockerCode: state.blockerCode,
          },
        ],
  );
  const found = final.statusEvents
    .filter(({ job_id }) => job_id === job.id)
    .map((row) => ({
      version: row.version,
      company: row.company_id,
      from: row.previous_status,
      to: row.status,
      occurredAt: row.occurred_at.toISOString(),
      note: row.note,
      blockerCode: row.blocker_code,
    }));
  return differences('history of statuses', expected, found);
}

function checkEvents(chains: readonly JobChain[], final: FinalState): string[] {
  const ofJobs = chains.flatMap((chain) =>
    chain.links.flatMap((link, place) => {
      const before = chain.links[place - 1];
      return before === undefined ? [] : eventsOf(chain, before, link);
    }),
  );
  const ofAppointments = final.appointments.map((row): ExpectedEvent => ({
    companyId: row.company_id,
    name: 'appointment.booked',
    resourceId: row.id,
    version: 1,
    data: {
      appointmentId: row.id,
      leadId: row.lead_id,
      projectId: row.project_id,
      startsAt: row.starts_at.toISOString(),
      endsAt: row.ends_at.toISOString(),
      notes: row.notes,
    },
  }));
  const judged = new Set(chains.map(({ job }) => job.id));
  const found = final.events.filter(
    ({ name, resource_id }) =>
      name !== 'install.test' && (judged.has(resource_id) || !name.startsWith('install.')),
  );
  const faults = found.flatMap(({ id, name, body }) => {
    const envelope = webhookEnvelope.safeParse(parseJson(body));
    if (!envelope.success) return [`event ${id}: no envelope: ${body}`];
    const schema = Object.entries(eventData).find(([event]) => event === name)?.[1];
    const isRight = schema?.safeParse(envelope.data.data).success === true && envelope.data.id === id;
    return isRight ? [] : [`event ${id}: not of its contract: ${body}`];
  });
  return [
    ...faults,
    ...differences(
      'events',
      [...ofJobs, ...ofAppointments],
      found.map((row) => ({
        companyId: row.company_id,
        name: row.name,
        resourceId: row.resource_id,
        version: row.resource_version,
        data: webhookEnvelope.safeParse(parseJson(row.body)).data?.data,
      })),
    ),
  ];
}

function eventsOf({ job }: JobChain, before: ChainLink, link: ChainLink): ExpectedEvent[] {
  const { state, version, maker } = link;
  const about = { resourceId: job.id, version };
  if (maker.kind === 'platform') {
    const { installerId } = before.state;
    const given = { ...about, companyId: state.installerId ?? '', name: 'install.job_assigned' } as const;
    const taken = { ...about, companyId: installerId ?? '', name: 'install.job_unassigned' } as const;
    return [
      { ...given, data: { jobId: job.id, status: 'ASSIGNED' } },
      ...(installerId === null ? [] : [{ ...taken, data: { jobId: job.id } }]),
    ];
  }
  const companyId = state.installerId ?? '';
  const events: ExpectedEvent[] = [];
  const { write } = maker;
  if (write.kind === 'status') {
    events.push({
      ...about,
      companyId,
      name: 'install.status_changed',
      data: {
        jobId: job.id,
        previousStatus: before.state.status,
        status: state.status,
        occurredAt: write.occurredAt,
        note: write.note ?? null,
        blockerCode: state.blockerCode,
      },
    });
  }
  if (write.kind === 'schedule' && !isDeepStrictEqual(before.state.schedule, state.schedule)) {
    events.push({
      ...about,
      companyId,
      name: 'install.schedule_changed',
      data: {
        jobId: job.id,
        changedBy: 'installer',
        previousStatus: before.state.schedule.status,
        schedule: state.schedule,
      },
    });
  }
  const readiness = readinessOf(state, job.readiness);
  if (!isDeepStrictEqual(readiness, readinessOf(before.state, job.readiness))) {
    events.push({
      ...about,
      companyId,
      name: 'install.readiness_changed',
      data: { jobId: job.id, ...readiness },
    });
  }
  return events;
}

function checkDeliveries(
  world: Pick<World, 'subscriptions'>,
  final: Pick<FinalState, 'events' | 'deliveries'>,
  webhooks: readonly ReceivedWebhook[],
): string[] {
  const faults: string[] = [];
  const bodies = new Map(final.events.map(({ id, body }) => [id, body]));
  for (const subscription of world.subscriptions) {
    const due = final.events.filter(
      ({ company_id, name }) =>
        subscription.isActive &&
        company_id === subscription.companyId &&
        name !== 'install.test' &&
        subscription.takes(name),
    );
    const deliveries = final.deliveries.filter(
      ({ subscription_id, is_test }) => subscription_id === subscription.id && !is_test,
    );
    faults.push(
      ...differences(
        `deliveries of ${subscription.path}`,
        due.map(({ id }) => id),
        deliveries.map(({ event_id }) => event_id),
      ),
    );
    for (const { id, state } of deliveries) {
      if (state !== 'delivered') faults.push(`delivery ${id} of ${subscription.path} is ${state}`);
    }
    const arrived = webhooks.filter(
      ({ path, envelope }) => path === subscription.path && envelope.event !== 'install.test',
    );
    for (const { body, envelope, headers } of arrived) {
      if (bodies.get(envelope.id) !== body.toString('utf8')) {
        faults.push(
          `a webhook at ${subscription.path} has other bytes than its event: ${body.toString('utf8')}`,
        );
      }
      if (headers['x-svc-event'] !== envelope.event)
        faults.push(`webhook ${envelope.id} names another event`);
    }
    const acknowledged = arrived.filter(({ answeredStatus }) => answeredStatus < 300);
    const events = new Set(acknowledged.map(({ envelope }) => envelope.id));
    faults.push(
      ...differences(
        `webhooks at ${subscription.path}`,
        due.map(({ id }) => id),
        [...events],
      ),
    );
    const ids = arrived.map(({ headers }) => String(headers['x-svc-delivery-id']));
    if (new Set(ids).size < ids.length)
      faults.push(`two attempts at ${subscription.path} have one delivery id`);
  }
  return faults;
}

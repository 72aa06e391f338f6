import {
  type Event,
  type EventTrail,
  EventVerdict,
  type GetEventResponse,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import type { event, eventTrail, eventWithTrail } from '@partner/proto-contracts/public-api/event-trail';
import type { z } from 'zod';
import { presentAttemptSummary, presentDelivery, textOf } from './present-delivery.js';
import { presentInstant } from './present-instant.js';
import { requiredField } from './required-field.js';

type VerdictName = z.input<typeof eventTrail>['verdict'];

const VERDICTS: Readonly<Record<EventVerdict, VerdictName | undefined>> = {
  [EventVerdict.UNSPECIFIED]: undefined,
  [EventVerdict.QUEUED]: 'queued',
  [EventVerdict.PAUSED]: 'paused',
  [EventVerdict.NOT_SUBSCRIBED]: 'not_subscribed',
  [EventVerdict.SCHEMA_VERSION]: 'schema_version',
  [EventVerdict.CLASS]: 'class',
  [EventVerdict.CREATED_LATER]: 'created_later',
  [EventVerdict.DELETED]: 'deleted',
  [EventVerdict.NO_LONGER_KEPT]: 'no_longer_kept',
};

const EXPLANATIONS: Readonly<Record<VerdictName, string>> = {
  queued: 'A delivery to this subscription was queued.',
  paused: 'The subscription was paused; a paused subscription queues no deliveries.',
  not_subscribed: 'The subscription named neither this event nor its group.',
  schema_version: 'The subscription had opted in to another schema version than that of the event.',
  class: 'A company of this class may not have the event.',
  created_later: 'The subscription was created after the event.',
  deleted: 'The subscription had been deleted.',
  no_longer_kept: 'What became of the event for this subscription is no longer kept.',
};

/** An event as its owner sees it. Throws when job-state left out what it always gives. */
export function presentEvent(message: Event | undefined): z.input<typeof event> {
  const given = requiredField(message, 'an event');
  return {
    id: requiredField(given.id, 'event.id'),
    event: requiredField(given.name, 'event.name'),
    occurredAt: presentInstant(given.occurredAt, 'event.occurred_at'),
    committedAt: presentInstant(given.committedAt, 'event.committed_at'),
    resource: {
      type: requiredField(given.resourceType, 'event.resource_type'),
      id: requiredField(given.resourceId, 'event.resource_id'),
      version: requiredField(given.resourceVersion, 'event.resource_version'),
    },
    schemaVersion: requiredField(given.schemaVersion, 'event.schema_version'),
    requestId: given.requestId ?? null,
  };
}

/** An event with its body and, for each subscription, what became of it, in a word and a sentence. */
export function presentEventWithTrail(message: GetEventResponse): z.input<typeof eventWithTrail> {
  return {
    event: presentEvent(message.event),
    body: textOf(requiredField(message.body, 'an event body')),
    subscriptions: message.subscriptions.map(presentTrail),
  };
}

function presentTrail(given: EventTrail): z.input<typeof eventTrail> {
  const verdict = requiredField(VERDICTS[given.verdict ?? EventVerdict.UNSPECIFIED], 'a known verdict');
  return {
    subscriptionId: requiredField(given.subscriptionId, 'trail.subscription_id'),
    verdict,
    explanation: EXPLANATIONS[verdict],
    deliveries: given.deliveries.map(({ delivery, attempts }) => ({
      delivery: presentDelivery(delivery),
      attempts: attempts.map(presentAttemptSummary),
    })),
  };
}

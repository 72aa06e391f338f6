import { z } from 'zod';
import { CURRENT_API_VERSION, CURRENT_SCHEMA_VERSION } from '../../api/versions.js';
import { dateTimeOut } from '../../values/date-time.js';
import { redacted } from '../../values/redacted.js';
import { EVENT_CATALOGUE, type EventName } from './catalogue.js';
import { type EventDefinition, EXAMPLE, id } from './define-event.js';

/** The fields of `data` that can hold personal data of customers. All of them are nullable texts. */
export const PERSONAL_EVENT_FIELDS: ReadonlySet<string> = new Set(['note', 'notes']);

export type EventData<E extends EventName> = z.infer<(typeof EVENT_CATALOGUE)[E]['data']>;

/** An event about a resource of a project: it has `leadId`. */
export type EventOfProject = {
  readonly [E in EventName]: EventData<E> extends { readonly projectId: string } ? E : never;
}[EventName];

/** The resource of an event (spec: Webhook envelope). */
export const eventResource = z
  .strictObject({
    type: z.string().meta({ description: 'E.g. `install_job`.' }),
    id: id('The id of the resource.'),
    version: z.int().meta({
      description:
        'For a job the same as its `version`. Ignore an event about a version older than yours; send it' +
        ' as `expectedVersion` when you write back.',
    }),
  })
  .meta({ id: 'EventResource', description: 'What the event is about.' });

/** The body of every webhook (spec: Webhook envelope). Of one event: see {@link envelopeOf}. */
export const webhookEnvelope = z.strictObject({
  id: z.string().meta({ description: 'The id of the event, the same in every attempt: de-duplicate by it.' }),
  event: z.string().meta({ description: 'The name of the event.' }),
  apiVersion: z.string().meta({ description: 'The current version date of the API.' }),
  schemaVersion: z.int().meta({
    description: 'Increases with a breaking change of the payload, for subscriptions that opted in.',
  }),
  occurredAt: dateTimeOut,
  resource: eventResource,
  changed: z.array(z.string()).optional(),
  data: z.record(z.string(), z.unknown()).meta({ description: 'Depends on the event.' }),
  redacted,
});

/** What an event says about changes of its resource. */
export function changesOf(event: EventName): Pick<EventDefinition<z.ZodType>, 'fields' | 'exampleChanged'> {
  return EVENT_CATALOGUE[event];
}

/** The body of an event. `changed` is a part of it if the event names the fields of its resource. */
export function envelopeOf(event: EventName) {
  const { fields } = changesOf(event);
  const envelope = webhookEnvelope.extend({
    event: z.literal(event).meta({ description: 'The name of the event.' }),
    changed: z
      .array(z.string())
      .optional()
      .meta({
        description:
          'The fields of the resource that differ from the version before, of these: ' +
          `${fields?.map((field) => `\`${field}\``).join(', ')}. ` +
          'All of them if your company did not have the version before. Events that were recorded before 2026-11-29 do not have it.',
      }),
    data: EVENT_CATALOGUE[event].data,
  });
  return fields === undefined ? envelope.omit({ changed: true }) : envelope;
}

export type WebhookEnvelope = z.infer<typeof webhookEnvelope>;

export function webhookExample(event: EventName): WebhookEnvelope {
  const { resource, example } = EVENT_CATALOGUE[event];
  const { fields, exampleChanged } = changesOf(event);
  return {
    id: 'evt_01k3jd7s2wf0bq6nv4xm8y5tcr',
    event,
    apiVersion: CURRENT_API_VERSION,
    schemaVersion: CURRENT_SCHEMA_VERSION,
    occurredAt: EXAMPLE.at,
    resource,
    ...(fields !== undefined && { changed: [...(exampleChanged ?? fields)] }),
    data: example,
  };
}

/** The event that {@link DELIVERY_EXAMPLE} delivers. */
export const EVENT_EXAMPLE = webhookExample('install.status_changed');

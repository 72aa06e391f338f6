import { z } from 'zod';
import { simplifySchemas } from '../../api/simplify-schemas.js';
import { CURRENT_SCHEMA_VERSION, SIGNATURE_SCHEME } from '../../api/versions.js';
import { EVENT_CATALOGUE, type EventName, eventGroup, isEventName } from './catalogue.js';
import { changesOf, envelopeOf, webhookExample } from './webhook-events.js';
import { companyClass } from '../../values/company-class.js';

const json = z.record(z.string(), z.unknown());

const catalogueEvent = z
  .object({
    name: z.string().meta({ description: 'The name of the event.' }),
    group: z.string().meta({ description: 'The part before the dot: `install.*` names the whole group.' }),
    meaning: z.string().meta({ description: 'When it is sent.' }),
    classes: z.array(companyClass).meta({ description: 'The classes of companies that may subscribe.' }),
    schemaVersion: z.int().meta({ description: 'The newest schema version of its payload.' }),
    fields: z.array(z.string()).meta({
      description:
        'Public fields of its resource that `changed` can name. Empty: the event has no `changed`.',
    }),
    schema: json.meta({
      description:
        'The JSON Schema (draft 2020-12) of the body that is sent. It is open: fields can be added.',
    }),
    example: json.meta({ description: 'A whole body.' }),
  })
  .meta({ id: 'WebhookCatalogueEvent', description: 'An event that a subscription can name.' });

/** Visible to every owner who is signed in. */
export const eventCatalogue = z
  .object({
    events: z.array(catalogueEvent).meta({ description: 'In the order of the reference.' }),
    signatureScheme: z.literal(SIGNATURE_SCHEME).meta({
      description: 'The version of the signature scheme: the part before `=` in `x-svc-signature`.',
    }),
  })
  .meta({ id: 'WebhookEventCatalogue', description: 'Every event, and how deliveries are signed.' });

/**
 * Creates the catalogue of events (spec: Event catalogue), with the JSON Schemas of the payloads that are sent.
 * Expensive: create it once.
 */
export function createEventCatalogue(): z.infer<typeof eventCatalogue> {
  return {
    events: Object.keys(EVENT_CATALOGUE).filter(isEventName).map(describeEvent),
    signatureScheme: SIGNATURE_SCHEME,
  };
}

function describeEvent(name: EventName): z.infer<typeof catalogueEvent> {
  const { meaning, classes } = EVENT_CATALOGUE[name];
  return {
    name,
    group: eventGroup(name),
    meaning,
    classes: [...classes],
    schemaVersion: CURRENT_SCHEMA_VERSION,
    fields: [...(changesOf(name).fields ?? [])],
    schema: bodySchema(name),
    example: { ...webhookExample(name) },
  };
}

function bodySchema(name: EventName): Record<string, unknown> {
  const { $defs, ...schema } = z.toJSONSchema(envelopeOf(name), {
    override: ({ jsonSchema }) => applyOverride(jsonSchema),
  });
  const whole = json.parse(inlined(schema, { ...$defs }));
  simplifySchemas(whole);
  return whole;
}

/**
 * Inlines each definition where the schema refers to it: references of a schema inside an example cannot be resolved.
 */
function inlined(node: unknown, definitions: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(node)) return node.map((member) => inlined(member, definitions));
  if (typeof node !== 'object' || node === null) return node;
  const { $ref, ...rest } = json.parse(node);
  const { id: _id, ...definition } =
    typeof $ref === 'string' ? json.parse(definitions[$ref.replace('#/$defs/', '')]) : {};
  return Object.fromEntries(
    Object.entries({ ...definition, ...rest }).map(([name, member]) => [name, inlined(member, definitions)]),
  );
}

/** Replaces the derived schema of a type with its metadata, as the API description does. */
function applyOverride(jsonSchema: Record<string, unknown>): void {
  const { override } = jsonSchema;
  if (typeof override !== 'object') return;
  delete jsonSchema['override'];
  Object.assign(jsonSchema, override);
}

export function catalogueExample(): z.infer<typeof eventCatalogue> {
  const { events, ...rest } = createEventCatalogue();
  return { events: events.filter(({ name }) => name === 'install.job_unassigned'), ...rest };
}

export type CatalogueEvent = z.output<typeof eventCatalogue>['events'][number];

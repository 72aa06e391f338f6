import { createOpenApiDocument } from './openapi.js';
import { z } from 'zod';

const reference = z.looseObject({ $ref: z.string().optional() });
const enumeration = z.looseObject({ enum: z.array(z.unknown()), description: z.string().optional() });
const operation = z.looseObject({
  tags: z.array(z.string()),
  description: z.string().optional(),
  parameters: z.array(reference).default([]),
  responses: z.record(
    z.string(),
    z.looseObject({ content: z.record(z.string(), z.object({ schema: z.unknown() })).optional() }),
  ),
});
const described = z.looseObject({
  info: z.looseObject({ version: z.string() }),
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.looseObject({
    schemas: z.record(z.string(), z.unknown()),
    parameters: z.record(z.string(), z.looseObject({})),
  }),
});

export type ClientDescription = z.infer<typeof described>;

const TAGS = ['Inbound', 'Installer', 'Automation'] as const;
/** Headers that the hand-written part of a client sends or leaves out. */
const OWN_HEADERS = ['RequestId', 'ApiVersion', 'IfNoneMatch'].map(
  (name) => `#/components/parameters/${name}`,
);

const IdempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'By default a new key, which all attempts of the call repeat. Pass one to continue a write of an earlier call.',
  schema: { type: 'string', maxLength: 128 },
};

/**
 * Reduces the API description to what a client offers: the operations with an API key, or with one of `offered`, and the schemas that
 * they or `alsoNamed` use. The hand-written part makes idempotency keys and throws errors, so the keys are optional here and only successes remain.
 */
export function clientDescription(
  alsoNamed: readonly string[],
  offered: readonly (typeof TAGS)[number][] = TAGS,
): ClientDescription {
  const document = createOpenApiDocument({
    serverUrl: 'https://api.partner.example.org',
    sessionCookie: '__Host-svc_session',
    today: '2026-01-01',
  });
  const { paths, components, info, ...rest } = described.parse(JSON.parse(JSON.stringify(document)));
  const kept = Object.entries(paths).flatMap(([path, operations]) => {
    const found = Object.entries(operations).filter(([, { tags }]) =>
      offered.some((tag) => tags.includes(tag)),
    );
    return found.length === 0 ? [] : [[path, Object.fromEntries(found.map(reduceOperation))] as const];
  });
  const offeredPaths = Object.fromEntries(kept);
  const parameters = { ...components.parameters, IdempotencyKey, OptionalIdempotencyKey: IdempotencyKey };
  const sections = { schemas: components.schemas, parameters };
  const used = referencesOf(
    [offeredPaths, alsoNamed.map((name) => ({ $ref: `#/components/schemas/${name}` }))],
    sections,
  );
  const usedOf = <T>(section: 'schemas' | 'parameters', all: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => used.has(`${section}/${name}`)));
  return {
    ...rest,
    webhooks: undefined,
    tags: undefined,
    info: { ...info, description: undefined },
    paths: offeredPaths,
    components: {
      schemas: usedOf('schemas', components.schemas),
      parameters: usedOf('parameters', parameters),
      securitySchemes: { apiKeyHeader: { type: 'apiKey', in: 'header', name: 'x-api-key' } },
    },
  };
}

/** The description of the webhooks alone, with the schemas of their envelopes. */
export function webhookDescription(): ClientDescription {
  return withoutPaths(clientDescription(['WebhookEnvelope'], []));
}

/** The schemas of the operations with an `automation` key. */
export function automationDescription(): ClientDescription {
  return withoutPaths(clientDescription([], ['Automation']));
}

function withoutPaths({ components: { schemas }, ...rest }: ClientDescription): ClientDescription {
  return { ...rest, paths: {}, components: { schemas, parameters: {} } };
}

/**
 * The same description, with plain types for the enums of responses: the API adds values to them without a version. For a client
 * that checks what it reads.
 */
export function withOpenEnums(description: ClientDescription): ClientDescription {
  const { paths, components } = description;
  const requests = Object.values(paths).flatMap((operations) =>
    Object.values(operations).map(({ parameters, requestBody }) => [parameters, requestBody]),
  );
  const sent = referencesOf(requests, components);
  const schemas = Object.fromEntries(
    Object.entries(components.schemas).map(([name, schema]) => [
      name,
      sent.has(`schemas/${name}`) ? schema : withoutEnums(schema),
    ]),
  );
  return { ...description, components: { ...components, schemas } };
}

/** Names the values in the description instead. */
function withoutEnums(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema), (_key, part: unknown) => {
    const parsed = enumeration.safeParse(part);
    if (!parsed.success) return part;
    const { enum: values, description = '', ...rest } = parsed.data;
    return { ...rest, description: `${description} ${values.join(', ')}, or a newer value.`.trim() };
  });
}

/** Keeps the first paragraph of the description and no example: the reference has the rest. */
function reduceOperation([method, given]: readonly [string, z.infer<typeof operation>]) {
  const { description, parameters, responses, ...rest } = given;
  return [
    method,
    {
      ...rest,
      description: description?.split('\n\n')[0],
      parameters: parameters.filter(({ $ref }) => $ref === undefined || !OWN_HEADERS.includes($ref)),
      responses: Object.fromEntries(
        Object.entries(responses)
          .filter(([status]) => status.startsWith('2'))
          .map(([status, response]) => [status, { ...response, headers: undefined }]),
      ),
    },
  ] as const;
}

/** The components that a part of the description refers to, directly or through others: `schemas/LeadIn`. */
function referencesOf(
  part: unknown,
  sections: Readonly<Record<'schemas' | 'parameters', Readonly<Record<string, unknown>>>>,
  found = new Set<string>(),
): ReadonlySet<string> {
  for (const [, section, name = ''] of JSON.stringify(part).matchAll(
    /"#\/components\/(schemas|parameters)\/(\w+)"/g,
  )) {
    const place = `${section}/${name}`;
    if (found.has(place)) continue;
    found.add(place);
    referencesOf(section === 'schemas' ? sections.schemas[name] : sections.parameters[name], sections, found);
  }
  return found;
}

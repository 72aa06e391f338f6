import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { createOpenApiDocument } from './openapi.js';
import { componentName, readApiDescription } from './api-description.js';
import { AUTOMATION_OPERATIONS } from '../surfaces/automation.js';
import { CONSOLE_OPERATIONS } from '../surfaces/console.js';
import { INBOUND_OPERATIONS } from '../surfaces/inbound.js';
import { INSTALLER_OPERATIONS } from '../surfaces/installer.js';
import { SIGNATURE_SCHEME } from '../api/versions.js';

const document = createOpenApiDocument({
  serverUrl: 'https://api.partner.example',
  sessionCookie: '__Host-svc_session',
});
const description = readApiDescription(document);
const OPERATIONS = [
  ...[...INBOUND_OPERATIONS, ...INSTALLER_OPERATIONS],
  ...[...CONSOLE_OPERATIONS, ...AUTOMATION_OPERATIONS],
];

function described(id: string) {
  const found = description.operations.find((operation) => operation.id === id);
  if (found === undefined) throw new Error(`${id} is not described`);
  return found;
}

/** Every object within a document, itself included. */
function objectsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.values(value).flatMap(objectsIn);
  return Array.isArray(value) ? inside : [{ ...value }, ...inside];
}

/** The first example of each field or parameter that has one. */
const exampleValues = (fields: readonly (readonly [string, object])[]) =>
  Object.fromEntries(
    fields.flatMap(([name, field]) => {
      const { example, examples } = z
        .object({ example: z.unknown(), examples: z.array(z.unknown()).default([]) })
        .partial()
        .parse(field);
      const value = example ?? examples?.[0];
      return value === undefined ? [] : [[name, value]];
    }),
  );

describe.each(OPERATIONS)('$id', (operation) => {
  test('has examples of valid bodies', () => {
    const examples = Object.values(operation.bodyExamples ?? {});
    expect(examples.length > 0).toBe(operation.body !== undefined);
    for (const { value } of examples) {
      expect(operation.body?.safeParse(value)).toMatchObject({ success: true });
    }
  });

  test('has examples of fields and parameters that together are a valid request', () => {
    const { body, parameters } = described(operation.id);
    const named = componentName(body?.schema ?? {});
    const schema = named === undefined ? body?.schema : description.schemas[named];
    const whole: object[] = (body?.examples ?? []).map(({ value }) => ({
      ...z.looseObject({}).parse(value),
    }));
    for (const { properties = {}, required = [] } of schema?.oneOf ??
      (schema === undefined ? [] : [schema])) {
      const shown = exampleValues(Object.entries(properties));
      const base = whole.find((each) => required.every((name) => name in each || name in shown)) ?? {};
      const known = Object.entries(base).filter(([name]) => name in properties);
      const built = { ...Object.fromEntries(known), ...shown };
      expect([built, operation.body?.safeParse(built).error]).toEqual([built, undefined]);
    }
    const query = parameters.filter((each) => each.in === 'query');
    const sent = exampleValues(query.map(({ name, schema: type, example }) => [name, { ...type, example }]));
    expect([sent, operation.query?.safeParse(sent).error]).toEqual([sent, undefined]);
  });

  test('has for each response an example that its schema parses unchanged', () => {
    for (const { schema, example } of Object.values(operation.responses)) {
      expect(schema?.parse(example)).toEqual(example);
    }
  });

  test('explains each parameter of its path, and accepts its example', () => {
    const names = [...operation.path.matchAll(/:(\w+)/g)].map(([, name]) => name);
    expect(Object.keys(operation.params ?? {})).toEqual(names);
  });
});

test('an example that needs a recent date has the day on which the document is served', () => {
  const later = readApiDescription(
    createOpenApiDocument({ serverUrl: 'https://a.example', sessionCookie: 'a', today: '2031-02-03' }),
  );
  const write = later.operations.find(({ id }) => id === 'recordStatusEvent');
  expect(write?.body?.examples.map(({ value }) => value)).toMatchObject([
    { occurredAt: '2031-02-03T00:00:00Z' },
    { occurredAt: '2031-02-03T00:00:00Z' },
  ]);
  expect(later.schemas['StatusEventIn']?.properties?.['occurredAt']).not.toHaveProperty('examples');
});

test('responses and webhooks are open to later fields [VERSION-2]', () => {
  expect(JSON.stringify(document)).not.toContain('"additionalProperties":false');
});

type Verification = (headers: object, body: Buffer, secrets: object) => boolean;
const verification = z.custom<Verification>((value) => typeof value === 'function');

describe('the guide', () => {
  const { guide } = description;

  test('has every section that is referred to', () => {
    const anchors = [...guide.matchAll(/^## (.*)$/gm)].map(([, heading = '']) =>
      heading.toLowerCase().replaceAll(' ', '-'),
    );
    const texts = [guide, ...description.operations.map((operation) => operation.description)];
    for (const [, anchor] of texts.flatMap((text) => [...text.matchAll(/\]\(#([^)]*)\)/g)])) {
      expect(anchors).toContain(anchor);
    }
  });

  test('has webhook verification code that accepts only signed bodies', async () => {
    const [, recipe = ''] = /```js\n([^`]*)```/.exec(guide) ?? [];
    const module: unknown = await import(`data:text/javascript,${encodeURIComponent(recipe)}`);
    const { isFromService } = z.object({ isFromService: verification }).parse(module);
    const body = Buffer.from('{"id":"evt_1","note":"déjà vu"}');
    const headersAt = (seconds: number, secret = 'whsec_current') => {
      const timestamp = String(Math.floor(Date.now() / 1_000) + seconds);
      const hex = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
      return {
        'x-svc-timestamp': timestamp,
        'x-svc-secret-version': '2',
        'x-svc-signature': `${SIGNATURE_SCHEME}=${hex}`,
      };
    };
    const secrets = new Map([
      ['1', 'whsec_former'],
      ['2', 'whsec_current'],
    ]);

    expect(isFromService(headersAt(0), body, secrets)).toBe(true);
    expect(isFromService(headersAt(0), Buffer.from(`${body.toString()} `), secrets)).toBe(false);
    expect(isFromService(headersAt(0, 'whsec_former'), body, secrets)).toBe(false);
    expect(isFromService({ ...headersAt(0), 'x-svc-secret-version': '3' }, body, secrets)).toBe(false);
    expect(isFromService(headersAt(-400), body, secrets)).toBe(false);
    expect(isFromService(headersAt(400), body, secrets)).toBe(false);
    expect(isFromService({}, body, secrets)).toBe(false);
    for (const version of ['constructor', '__proto__']) {
      expect(isFromService({ ...headersAt(0), 'x-svc-secret-version': version }, body, secrets)).toBe(false);
    }
  });
});

describe('requirements of client generators', () => {
  const schemas = objectsIn(document).filter((node) => 'type' in node);

  test('has no pattern that repeats the format of a date-time', () => {
    const dateTimes = schemas.filter(({ format }) => format === 'date-time');
    expect(dateTimes.length).toBeGreaterThan(50);
    expect(dateTimes.filter((schema) => 'pattern' in schema)).toEqual([]);
  });

  test('calls whole numbers integers, with 64 bits where they may need them [HTTP-12]', () => {
    expect(schemas.filter(({ type }) => type === 'number' || [type].flat().includes('number'))).toEqual([]);
    expect(description.schemas['FeedEntry']?.properties?.['sequence']).toMatchObject({ format: 'int64' });
    const amounts = objectsIn(document).flatMap(({ amountMinor }) => amountMinor ?? []);
    const types = amounts.filter((amount) => typeof amount === 'object');
    expect(types.length).toBeGreaterThan(0);
    for (const type of types) expect(type).toMatchObject({ type: 'integer', format: 'int64' });
  });

  test('describes every parameter', () => {
    const all = description.operations.flatMap(({ id, parameters }) =>
      parameters.filter((one) => (one.description ?? '').trim() === '').map(({ name }) => `${id} ${name}`),
    );
    expect(all).toEqual([]);
  });

  test('has no two examples of one instant where one field ends what another begins', () => {
    const pairs = [
      ['from', 'to'],
      ['startsAt', 'endsAt'],
      ['oldest', 'newest'],
      ['firstAt', 'lastAt'],
      ['createdAt', 'expiresAt'],
    ];
    const queries = description.operations.map(({ parameters }) =>
      Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    );
    const objects = [
      ...objectsIn(document.components).flatMap(({ properties }) => properties ?? []),
      ...queries,
    ];
    const spans = objects.flatMap((fields) => {
      const shown: Record<string, unknown> = exampleValues(
        Object.entries(z.record(z.string(), z.looseObject({})).catch({}).parse(fields)),
      );
      return pairs
        .map(([begin = '', end = '']) => [shown[begin], shown[end]])
        .filter(([begin, end]) => begin !== undefined && end !== undefined);
    });
    expect(spans.length).toBeGreaterThan(15);
    for (const [begin, end] of spans)
      expect(Date.parse(String(end))).toBeGreaterThan(Date.parse(String(begin)));
  });

  const fields = Object.entries(description.schemas).flatMap(([type, { properties = {} }]) =>
    Object.entries(properties).map(([name, schema]) => ({ field: `${type}.${name}`, schema })),
  );

  test('describes every field, directly or by its type', () => {
    expect(fields.length).toBeGreaterThan(400);
    expect(
      fields.filter(({ schema }) => schema.description === undefined && schema.$ref === undefined),
    ).toEqual([]);
  });

  test('names the type of every object with fields, and no type twice', () => {
    const unnamed = fields.filter(({ schema }) => (schema.items ?? schema).properties !== undefined);
    expect(unnamed).toEqual([]);
    const texts = Object.values(description.schemas).map((schema) => JSON.stringify(schema));
    expect(new Set(texts).size).toBe(texts.length);
    expect(Object.keys(description.schemas).filter((name) => name.endsWith('Output'))).toEqual([]);
  });

  test('gives no two components the same name, as identifiers of any language', () => {
    const names = Object.values(document.components ?? {})
      .flatMap((components) => Object.keys(z.record(z.string(), z.unknown()).parse(components)))
      .map((name) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, ''));
    expect(names.length).toBeGreaterThan(250);
    expect(names.filter((name, place) => names.indexOf(name) < place)).toEqual([]);
  });
});

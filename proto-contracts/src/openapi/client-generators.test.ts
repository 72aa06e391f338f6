import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { ERROR_REASON_CATALOGUE } from '../api/error-reasons.js';
import { CURRENT_API_VERSION } from '../api/versions.js';
import { EVENT_CATALOGUE } from '../resources/event-catalogue/catalogue.js';
import { readApiDescription } from './api-description.js';
import { createOpenApiDocument } from './openapi.js';
import { exampleValues, objectsIn } from './testing/document-parts.js';

const document = createOpenApiDocument({
  serverUrl: 'https://api.partner.example',
  sessionCookie: '__Host-svc_session',
});
const description = readApiDescription(document);

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

  test('lists the codes of errors and the versions that can be pinned, each as a named type', () => {
    expect(description.schemas['ErrorCode']?.enum).toEqual(Object.keys(ERROR_REASON_CATALOGUE));
    expect(description.schemas['Error']?.properties?.['code']).toMatchObject({
      $ref: '#/components/schemas/ErrorCode',
    });
    expect(description.schemas['ApiVersionDate']?.enum).toEqual([CURRENT_API_VERSION]);
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

  test('writes a selection as alternatives of which exactly one fits', () => {
    expect(description.schemas['EventReplayIn']?.oneOf?.map(({ required }) => required)).toEqual([
      ['fromSequence', 'toSequence'],
      ['from', 'to'],
      ['eventIds'],
    ]);
  });

  test('requires no form of a request id, since any is accepted', () => {
    const ids = description.operations.flatMap(({ parameters }) =>
      parameters.filter(({ name }) => name === 'x-request-id'),
    );
    expect(ids).toHaveLength(description.operations.length);
    for (const { required, schema } of ids) {
      expect(required).toBeUndefined();
      expect(schema).toEqual({ type: 'string', description: schema.description });
    }
  });

  test('defines retry-after as whole seconds', () => {
    expect(document.components?.headers?.['RetryAfterHeader']).toMatchObject({
      schema: { type: 'integer' },
      example: 3,
    });
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

  test('distinguishes the events of a webhook and the faults of a script by a discriminator', () => {
    const { schemas: types = {} } = document.components ?? {};
    expect(types['WebhookEnvelope']).toMatchObject({ discriminator: { propertyName: 'event' } });
    const members = objectsIn(types['WebhookEnvelope']).flatMap(({ mapping }) => mapping ?? []);
    expect(members.map((mapping) => Object.keys(mapping))).toEqual([Object.keys(EVENT_CATALOGUE)]);
    expect(types['RequestFault']).toMatchObject({ discriminator: { propertyName: 'fault' } });
  });

  test('gives no two components the same name, as identifiers of any language', () => {
    const names = Object.values(document.components ?? {})
      .flatMap((components) => Object.keys(z.record(z.string(), z.unknown()).parse(components)))
      .map((name) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, ''));
    expect(names.length).toBeGreaterThan(250);
    expect(names.filter((name, place) => names.indexOf(name) < place)).toEqual([]);
  });
});

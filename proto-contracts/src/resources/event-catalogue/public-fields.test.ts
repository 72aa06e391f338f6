import { describe, expect, test } from '@jest/globals';
import { EVENT_CATALOGUE, eventGroup, isEventName } from './catalogue.js';
import { envelopeOf, PERSONAL_EVENT_FIELDS, webhookExample } from './webhook-events.js';
import { installerJob } from '../job/job.js';
import { z } from 'zod';

const EVENTS = Object.keys(EVENT_CATALOGUE).filter(isEventName);

/** What the specification keeps from installer companies, and from accounting companies. */
const KEPT_FROM_INSTALLERS =
  /e-?mail|price|cost|margin|financ|payment|paid|deposit|invoice|amount|total|currency|signature/i;
const CONTACT_DETAILS = /name|phone|mail|address|line1|city|zip|notes?$|customer|lead/i;

/** The names of all fields in a JSON Schema, at any depth. Throws for a schema that allows unnamed fields. */
function fieldsIn(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const inner = Object.values(schema).flatMap(fieldsIn);
  if (!('properties' in schema)) return inner;
  if (!('additionalProperties' in schema) || schema.additionalProperties !== false) {
    throw new Error('a field without a name');
  }
  return [...Object.keys(z.record(z.string(), z.unknown()).parse(schema.properties)), ...inner];
}

const fieldsOf = (schema: z.ZodType) => fieldsIn(z.toJSONSchema(schema));
const ofGroup = (group: string) =>
  EVENTS.filter((event) => eventGroup(event) === group).flatMap((event) =>
    fieldsOf(EVENT_CATALOGUE[event].data),
  );

describe('the fields that leave the service', () => {
  test.each(EVENTS)('of %s are named in its schema, and its example has all of them', (event) => {
    const example = JSON.stringify(webhookExample(event));
    // `redacted` is absent unless personal data was erased.
    const fields = fieldsOf(envelopeOf(event)).filter((field) => field !== 'redacted');
    for (const field of fields) expect(example).toContain(`"${field}":`);
  });

  test('in events are named as personal data if they are notes, so that an erasure removes them [PERSON-1]', () => {
    const notes = EVENTS.flatMap((event) => fieldsOf(EVENT_CATALOGUE[event].data)).filter((field) =>
      /notes?$/i.test(field),
    );
    expect(new Set(notes)).toEqual(PERSONAL_EVENT_FIELDS);
  });

  test('to installer companies are neither email, prices, costs, margin, financing, payments nor signatures', () => {
    const shown = [...fieldsOf(installerJob), ...ofGroup('install')];
    expect(shown.filter((field) => KEPT_FROM_INSTALLERS.test(field))).toEqual([]);
    expect(ofGroup('deposit').filter((field) => KEPT_FROM_INSTALLERS.test(field))).not.toEqual([]);
  });

  test('to accounting companies are no contact details', () => {
    expect(ofGroup('journal').filter((field) => CONTACT_DETAILS.test(field))).toEqual([]);
    expect(fieldsOf(installerJob).filter((field) => CONTACT_DETAILS.test(field))).not.toEqual([]);
  });

  test('all have names', () => {
    expect(() => fieldsOf(z.looseObject({ a: z.string() }))).toThrow('a field without a name');
  });
});

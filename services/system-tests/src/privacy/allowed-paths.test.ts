import { describe, expect, test } from '@jest/globals';
import { WEBHOOK_EXAMPLES } from '@partner/proto-contracts/public-api/examples/webhook-examples';
import { installerJob } from '@partner/proto-contracts/public-api/installer-job';
import {
  EVENT_CATALOGUE,
  eventData,
  eventGroup,
  isEventName,
  webhookEnvelope,
} from '@partner/proto-contracts/public-api/webhook-events';
import { z } from 'zod';
import { DATA_PATHS, envelopePaths, INSTALLER_JOB_PATHS } from './allowed-paths.js';
import { schemaPaths, valuePaths } from './value-paths.js';

const EVENTS = Object.keys(EVENT_CATALOGUE).filter(isEventName);
const pathsOf = (schema: z.ZodType) => schemaPaths(z.toJSONSchema(schema));

/** Of what the specification keeps from installer companies, and from accounting companies. */
const KEPT_FROM_INSTALLERS =
  /e-?mail|price|cost|margin|financ|payment|paid|deposit|invoice|amount|total|currency|signature/i;
const CONTACT_DETAILS = /name|phone|mail|address|line1|city|zip|notes?$|customer|lead/i;

describe('the fields that may leave the service', () => {
  test.each(EVENTS)('of %s are those of its schema and of its example', (event) => {
    const schema = webhookEnvelope.extend({ event: z.literal(event), data: eventData[event] });
    const allowed = [...envelopePaths(event)].sort();
    expect([...pathsOf(schema)].sort()).toEqual(allowed);
    expect([...valuePaths(WEBHOOK_EXAMPLES[event])].sort()).toEqual(allowed);
  });

  test('of a job are those of its schema', () => {
    expect([...pathsOf(installerJob)].sort()).toEqual([...INSTALLER_JOB_PATHS].sort());
  });

  test('to installer companies are neither email, prices, costs, margin, financing, payments nor signatures', () => {
    const shown = [...INSTALLER_JOB_PATHS, ...ofGroup('install')];
    expect(shown.filter((path) => KEPT_FROM_INSTALLERS.test(path))).toEqual([]);
    expect(ofGroup('deposit').filter((path) => KEPT_FROM_INSTALLERS.test(path))).not.toEqual([]);
  });

  test('to accounting companies are no contact details', () => {
    expect(ofGroup('journal').filter((path) => CONTACT_DETAILS.test(path))).toEqual([]);
    expect(INSTALLER_JOB_PATHS.filter((path) => CONTACT_DETAILS.test(path))).not.toEqual([]);
  });
});

const ofGroup = (group: string): readonly string[] =>
  EVENTS.filter((event) => eventGroup(event) === group).flatMap((event) => DATA_PATHS[event]);

describe('paths', () => {
  test('of a value name every field, also in arrays', () => {
    expect(valuePaths({ a: 1, b: { c: null }, d: [{ e: 1 }, { e: 2, f: [3] }], g: [] })).toEqual([
      'a',
      'b.c',
      'd[].e',
      'd[].f[]',
    ]);
  });

  test('of a schema that leaves fields open can not be told', () => {
    expect(() => pathsOf(z.object({ a: z.record(z.string(), z.unknown()) }))).toThrow('a may have any field');
    expect(() => pathsOf(z.looseObject({ a: z.string() }))).toThrow('may have any field');
  });
});

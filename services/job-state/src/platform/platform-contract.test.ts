import { readFileSync } from 'node:fs';
import { type DescField, type DescMessage, fromJson, ScalarType, toBinary } from '@bufbuild/protobuf';
import { describe, expect, test } from '@jest/globals';
import { JobNoteAddedSchema } from '@partner/proto-contracts/gen/partner/jobs/v1/contractor_job_service_pb';
import {
  JobAssignmentsChangedSchema,
  JobScheduleChangedSchema,
  JobStatusChangedSchema,
} from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { AppointmentBookedSchema } from '@partner/proto-contracts/gen/partner/leads/v1/appointment_service_pb';
import {
  LeadCreatedSchema,
  LeadMergedSchema,
} from '@partner/proto-contracts/gen/partner/leads/v1/lead_service_pb';
import { CompanyChangedSchema } from '@partner/proto-contracts/gen/partner/platform/v1/company_messages_pb';
import {
  JobCreatedSchema,
  JobDocumentAvailableSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/job_messages_pb';
import { PLATFORM_TYPES } from '@partner/proto-contracts/platform-messages';
import {
  PARTNER_EVENTS,
  PARTNER_EVENTS_FOR_PLATFORM,
  PLATFORM,
  PLATFORM_MESSAGES,
} from '@partner/proto-contracts/topology';
import { newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { z } from 'zod';
import { TEST_NOW } from '../testing/test-jobs.js';
import { PLATFORM_MESSAGE_TYPES, readPlatformMessage } from './platform-messages.js';
import { readContractPage } from './testing/contract-page.js';

const { text, sections } = readContractPage();

function typeOf(field: DescField): string {
  const repeated = field.fieldKind === 'list' ? 'repeated ' : '';
  if (field.message !== undefined) return `${repeated}${field.message.name}`;
  if (field.enum !== undefined) return `${repeated}${field.enum.name}`;
  invariant(field.scalar, 'a field holds a message, a value of an enum or a scalar');
  return `${repeated}${ScalarType[field.scalar].toLowerCase()}`;
}

const fieldsOf = (message: DescMessage) =>
  message.fields.map((field) => ({ name: field.jsonName, type: typeOf(field) }));

type JsonObject = { [name: string]: z.core.util.JSONType };
const jsonObject = z.record(z.string(), z.json());

/** The fullest example of a message. */
function exampleOf(message: DescMessage): JsonObject {
  const examples = sections.find(({ name }) => name === message.name)?.examples ?? [];
  const [fullest] = [...examples].sort((a, b) => b.length - a.length);
  return jsonObject.parse(JSON.parse(fullest ?? 'null'));
}

/** Texts whose format bounds them. */
const BOUND_BY_FORM = new Set(['currency', 'timeZone', 'blockerCodes']);

const TEXT = (length: number) => 'x'.repeat(length);
/** Texts of a length with a format as well. */
const TEXTS: Readonly<Record<string, typeof TEXT>> = {
  // The labels of a domain have at most 63 characters.
  email: (length) => `ada@${'x'.repeat(length - 12).replaceAll(/x{50}(?=x)/g, `${'x'.repeat(49)}.`)}.example`,
  mime: (length) => 'text/'.padEnd(length, 'x'),
};

/** A text or a list of bounded length, and a function that builds a message of a given length. */
interface Bounded {
  readonly message: DescMessage;
  readonly section: string;
  readonly field: DescField;
  readonly withLength: (length: number) => JsonObject;
}

/** The texts of a message and the lists of its example, including nested messages with their own sections. */
function boundedIn(
  message: DescMessage,
  part: DescMessage,
  example: JsonObject,
  whole: (changed: JsonObject) => JsonObject,
): readonly Bounded[] {
  if (!sections.some(({ name }) => name === part.name)) return [];
  return part.fields.flatMap((field) => {
    const name = field.jsonName;
    const change = (value: z.core.util.JSONType) => whole({ ...example, [name]: value });
    const made = (withLength: Bounded['withLength']): Bounded[] => [
      { message, section: part.name, field, withLength },
    ];
    if (BOUND_BY_FORM.has(name)) return [];
    if (field.fieldKind === 'list') {
      const [item] = z.array(z.json()).parse(example[name] ?? []);
      if (item === undefined) return [];
      const itemOf = () => (typeof item === 'string' ? newId('cmp') : item);
      const inItem =
        field.message === undefined
          ? []
          : boundedIn(message, field.message, jsonObject.parse(item), (changed) => change([changed]));
      return [...made((length) => change(Array.from({ length }, itemOf))), ...inItem];
    }
    if (field.message !== undefined && example[name] !== undefined && !/Timestamp$/.test(typeOf(field)))
      return boundedIn(message, field.message, jsonObject.parse(example[name]), change);
    if (field.scalar !== ScalarType.STRING || name.endsWith('Id')) return [];
    return made((length) => change((TEXTS[name] ?? TEXT)(length)));
  });
}

const bounded = [...PLATFORM_MESSAGE_TYPES.values()].flatMap(({ schema }) =>
  boundedIn(schema, schema, exampleOf(schema), (changed) => changed),
);

function isValid(message: DescMessage, json: JsonObject): boolean {
  const body = toBinary(message, fromJson(message, json));
  return readPlatformMessage(message.typeName, body, TEST_NOW).kind === 'whole';
}

describe('the platform contract page', () => {
  test('has a section with examples for each message that the platform sends', () => {
    const withExamples = sections.filter(({ examples }) => examples.length > 0).map(({ name }) => name);
    const sent = [...PLATFORM_MESSAGE_TYPES.values()].map(({ schema }) => schema.name);
    expect([...withExamples].sort()).toEqual([...sent].sort());
  });

  test.each(sections.map((section) => [section.name, section] as const))(
    'lists the fields of %s as the contract does, each with its meaning',
    (name, { fields }) => {
      const message = PLATFORM_TYPES.find((candidate) => candidate.name === name);
      expect(message).toBeDefined();
      const ofPage = fields.map((field) => ({ name: field.name, type: field.type }));
      const inOrder = (rows: readonly { readonly name: string }[]) =>
        [...rows].sort((a, b) => (a.name < b.name ? -1 : 1));
      expect(inOrder(ofPage)).toEqual(inOrder(message === undefined ? [] : fieldsOf(message)));
      expect(fields.filter(({ meaning }) => meaning === '')).toEqual([]);
    },
  );

  test.each(bounded.map((one) => [one.message.name, one.section, one.field.jsonName, one] as const))(
    'states for %s the maximum length of %s.%s',
    (_message, section, name, { message, field, withLength }) => {
      const meaning = sections
        .find((candidate) => candidate.name === section)
        ?.fields.find((candidate) => candidate.name === name)?.meaning;
      const limit = field.fieldKind === 'list' ? /at most (\d+)/ : /at most (\d+) characters/;
      const length = Number(limit.exec(meaning ?? '')?.[1]);
      expect(length).toBeGreaterThan(1);
      expect(isValid(message, withLength(length))).toBe(true);
      expect(isValid(message, withLength(length + 1))).toBe(false);
    },
  );

  test.each([
    ['the version of a job that is new', JobCreatedSchema, { version: 2 }, /so its version has to be 1/],
    [
      'parameters of a media type',
      JobDocumentAvailableSchema,
      { mime: 'text/plain; charset=utf-8' },
      /media type, without parameters/,
    ],
    [
      'an accounting company that is named twice',
      CompanyChangedSchema,
      { accountingCompanyIds: ['cmp_01j00000000000000000000003', 'cmp_01j00000000000000000000003'] },
      /each once, at most/,
    ],
  ])('states the rejected values: %s', (_what, message, change, words) => {
    const example = exampleOf(message);
    expect(isValid(message, example)).toBe(true);
    expect(isValid(message, { ...example, ...change })).toBe(false);
    expect(sections.find(({ name }) => name === message.name)?.text).toMatch(words);
  });

  test("names the platform's vhost and user, and its permissions", () => {
    const { permissions } = z
      .object({
        permissions: z.array(
          z.object({ user: z.string(), vhost: z.string(), write: z.string(), read: z.string() }),
        ),
      })
      .parse(
        JSON.parse(
          readFileSync(
            new URL('../../../../charts/job-state/files/rabbitmq-definitions.json', import.meta.url),
            'utf8',
          ),
        ),
      );
    const own = permissions.find(({ user }) => text.includes(`\`${user}\``));
    invariant(own, 'the page names a user');
    expect(text).toContain(`| \`${own.vhost}\` `);
    expect(own).toMatchObject({
      user: 'partner-platform',
      write: `^${PLATFORM.name}$`,
      read: `^${PARTNER_EVENTS_FOR_PLATFORM.name.replace('.', '\\.')}$`,
    });
  });

  test('names the existing exchanges, queues and messages of the service', () => {
    for (const name of [
      PLATFORM.name,
      PLATFORM_MESSAGES.deadLetterQueue,
      PARTNER_EVENTS.name,
      PARTNER_EVENTS_FOR_PLATFORM.name,
      PARTNER_EVENTS_FOR_PLATFORM.deadLetterQueue,
      ...[
        LeadCreatedSchema,
        LeadMergedSchema,
        AppointmentBookedSchema,
        JobStatusChangedSchema,
        JobScheduleChangedSchema,
        JobAssignmentsChangedSchema,
        JobNoteAddedSchema,
      ].map(({ typeName }) => typeName),
    ]) {
      expect(text).toContain(`\`${name}\``);
    }
    expect(text).toContain(`more than ${PARTNER_EVENTS_FOR_PLATFORM.deliveryLimit} times`);
  });
});

import { describe, expect, test } from '@jest/globals';
import { appointmentIn } from '@partner/proto-contracts/resources/appointment/appointment';
import { contractorJob } from '@partner/proto-contracts/resources/contractor-job/contractor-job';
import { ERROR_REASON_CATALOGUE } from '@partner/proto-contracts/api/error-reasons';
import { installerJob, JOB_STATUSES, SCHEDULE_STATUSES } from '@partner/proto-contracts/resources/job/job';
import { jobFeedResponse } from '@partner/proto-contracts/resources/feed-entry/feed-entry';
import { statusEventIn } from '@partner/proto-contracts/resources/job/job-writes';
import { technician } from '@partner/proto-contracts/resources/technician/technician';
import { leadCreated, leadIn, leadMerged } from '@partner/proto-contracts/resources/lead/lead';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import { scheduleIn } from '@partner/proto-contracts/resources/job/schedule-input';
import { KEY_KINDS } from '@partner/proto-contracts/api/scopes';
import {
  EVENT_CATALOGUE,
  eventsNamedBy,
  NOTIFICATIONS,
} from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import { webhookEnvelope } from '@partner/proto-contracts/resources/event-catalogue/webhook-events';
import { z } from 'zod';
import { INBOUND_OPERATIONS } from '@partner/proto-contracts/surfaces/inbound';
import { INSTALLER_OPERATIONS } from '@partner/proto-contracts/surfaces/installer';
import { readProjectRules, type Rule } from './read-rules.js';

const { rules } = readProjectRules();

function ruleOf(id: string): Rule {
  const rule = rules.find((candidate) => candidate.id === id);
  if (rule === undefined) throw new Error(`there is no rule ${id}`);
  return rule;
}

/** Returns the cells of the rows of these rules. */
function rowsOf(...ids: readonly string[]): (readonly string[])[] {
  const rows = ids.flatMap((id) => ruleOf(id).rows);
  if (rows.length === 0) throw new Error(`${ids.join(', ')}: there is no table`);
  return rows;
}

const typeSchema = z.object({
  type: z.union([z.string().transform((type) => [type]), z.array(z.string())]).default([]),
  format: z.string().optional(),
});

/** The part of a field's JSON Schema that the specification defines. */
const fieldSchema = typeSchema.extend({
  enum: z.array(z.string()).optional(),
  const: z.string().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minimum: z.number().optional(),
  anyOf: z.array(typeSchema).default([]),
});
type Field = z.infer<typeof fieldSchema>;

const objectSchema = z.object({
  properties: z.record(z.string(), z.unknown()),
  required: z.array(z.string()).default([]),
});

function fieldsOf(schema: z.ZodType) {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const { properties, required } = objectSchema.parse(withoutReferences(json, json.$defs ?? {}));
  const fields = Object.entries(properties).map(([name, value]) => [name, fieldSchema.parse(value)] as const);
  return { properties, required, fields: new Map(fields) };
}

/** Returns the schema with each reference replaced by its target. */
function withoutReferences(schema: unknown, named: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(schema)) return schema.map((part: unknown) => withoutReferences(part, named));
  if (typeof schema !== 'object' || schema === null) return schema;
  const parts: Readonly<Record<string, unknown>> = { ...schema };
  const { $ref: reference, $defs: _defs, ...rest } = parts;
  const referred = typeof reference === 'string' ? named[reference.replace('#/$defs/', '')] : undefined;
  const inlined = Object.entries(rest).map(([name, part]) => [name, withoutReferences(part, named)] as const);
  const base = withoutReferences(referred, named);
  return { ...(typeof base === 'object' ? base : {}), ...Object.fromEntries(inlined) };
}

/** Returns the field in the notation of the specification: type, format and null. */
function typeOf(field: Field | undefined): string {
  const alternatives = field === undefined ? [] : [field, ...field.anyOf];
  const types = alternatives.flatMap(({ type }) => type);
  const isDateTime = alternatives.some(({ format }) => format === 'date-time');
  const [first = ''] = types.filter((type) => type !== 'null');
  return `${first}${isDateTime ? ' date-time' : ''}${types.includes('null') ? ' or null' : ''}`;
}

describe('the contracts say what the specification says', () => {
  const inputs: readonly (readonly [string, string, z.ZodType])[] = [
    ['LeadIn', 'LEAD-1', leadIn],
    ['AppointmentIn', 'APPT-1', appointmentIn],
    ['StatusEventIn', 'STATUS-1', statusEventIn],
    ['ScheduleIn', 'SCHED-1', scheduleIn],
  ];
  const outputs: readonly (readonly [string, string, z.ZodType])[] = [
    ['ContractorJob', 'CONTRACTOR-1', contractorJob],
    ['InstallerJob', 'JOB-1', installerJob],
    ['Technician', 'TECH-1', technician],
    ['Change feed entry', 'FEED-1', jobFeedResponse.shape.resources.element],
    ['Webhook envelope', 'EVENT-1', webhookEnvelope],
  ];

  test.each([...inputs, ...outputs])(
    'of the fields and types of %s [CONTRACTOR-1, HTTP-1, JOB-1, TECH-1]',
    (_name, id, schema) => {
      const { fields } = fieldsOf(schema);
      const rows = rowsOf(id);
      // Additive (decision PERSON-5).
      fields.delete('redacted');
      expect([...fields.keys()].sort()).toEqual(rows.map(([name = '']) => name).sort());
      for (const [name = '', type = ''] of rows) {
        const given = type === 'InstallerJob' ? 'object' : type.replace(' (email format)', '');
        expect([name, typeOf(fields.get(name))]).toEqual([name, given]);
      }
    },
  );

  test.each(inputs)(
    'of the required fields of %s, their lengths and values [APPT-1, LEAD-1, SCHED-1, STATUS-1]',
    (_name, id, schema) => {
      const { fields, required } = fieldsOf(schema);
      for (const [name = '', , isRequired, constraints = ''] of rowsOf(id)) {
        expect([name, required.includes(name)]).toEqual([name, isRequired === 'yes']);
        const found = fields.get(name);
        const lengths = /^length (\d+) to (\d+)$/.exec(constraints);
        if (lengths !== null) {
          expect([name, found?.minLength, found?.maxLength]).toEqual([
            name,
            Number(lengths[1]),
            Number(lengths[2]),
          ]);
        }
        const most = /^max (\d+)$/.exec(constraints);
        if (most !== null) expect([name, found?.maxLength]).toEqual([name, Number(most[1])]);
        const least = /^min (\d+)$/.exec(constraints);
        if (least !== null) expect([name, found?.minimum]).toEqual([name, Number(least[1])]);
        if (/^[A-Z_]+(, [A-Z_]+)+$/.test(constraints)) {
          expect([name, found?.enum]).toEqual([name, constraints.split(', ')]);
        }
      }
    },
  );

  test('of the statuses of jobs and schedules [SCHED-2, STATUS-2]', () => {
    expect(ruleOf('STATUS-2').text).toContain(`Job status values: ${JOB_STATUSES.join(', ')}.`);
    expect(ruleOf('SCHED-2').text).toContain(`Schedule status values: ${SCHEDULE_STATUSES.join(', ')}.`);
  });

  test('of the results of a lead [LEAD-2, LEAD-8]', () => {
    const added: Readonly<Record<string, readonly string[]>> = { LeadCreated: ['projectId'] };
    const results = { LeadCreated: leadCreated, LeadMerged: leadMerged };
    for (const [name, schema] of Object.entries(results)) {
      const rows = rowsOf('LEAD-2').filter(([first]) => first === name);
      const { fields } = fieldsOf(schema);
      expect([...fields.keys()]).toEqual([...rows.map(([, given]) => given), ...(added[name] ?? [])]);
      for (const [, given = '', type, notes = ''] of rows) {
        expect(typeOf(fields.get(given))).toBe(type);
        const constant = /constant `(\w+)`/.exec(notes)?.[1];
        expect([given, fields.get(given)?.const]).toEqual([given, constant]);
      }
    }
  });

  test.each(['/inbound/', '/partner/v1/'])(
    'of the paths, methods, scopes and responses below %s [AUTH-5, AUTH-9, TECH-2]',
    (prefix) => {
      const rows = rules.flatMap((rule) => rule.rows).filter(([, path = '']) => path.startsWith(prefix));
      expect(rows).not.toEqual([]);
      const operations = [...INBOUND_OPERATIONS, ...INSTALLER_OPERATIONS].filter(({ path }) =>
        path.startsWith(prefix),
      );
      const signature = (method: string, path: string) => `${method.toUpperCase()} ${path}`;
      expect(operations.map(({ method, path }) => signature(method, path.replace(':id', '{id}')))).toEqual(
        rows.map(([method = '', path = '']) => signature(method, path)),
      );
      for (const [index, [, path = '', scope = '', request = '', statuses = '']] of rows.entries()) {
        const operation = operations[index];
        // The decisions define the scope for reading a job.
        const expected = scope === '(none stated)' ? 'jobs:read' : scope.replace(/ \(.*\)$/, '');
        expect([path, operation?.scope]).toEqual([path, expected]);
        expect(operation?.idempotencyKey === 'required').toBe(request.includes('header Idempotency-Key'));
        const possible = [
          ...Object.keys(operation?.responses ?? {}),
          ...(operation?.errors ?? []).map((reason) => String(ERROR_REASON_CATALOGUE[reason].httpStatus)),
          // The statuses that every operation of these surfaces can return.
          ...['400', '401', '403', '429'],
        ];
        expect(possible).toEqual(expect.arrayContaining(statuses.match(/\b[2-4]\d\d\b/g) ?? []));
      }
    },
  );

  test('of the kinds of keys and their scopes [AUTH-3, AUTH-5, AUTH-8, AUTH-14]', () => {
    const kinds = rowsOf('AUTH-8').map(([kind = '', , surface, scopes = '']) => [
      kind.replaceAll('`', ''),
      { surface: surface === 'installer v1' ? 'installer' : surface, scopes: scopes.split(', ') },
    ]);
    expect(KEY_KINDS).toEqual(Object.fromEntries(kinds));
    const listed = ['AUTH-5', 'AUTH-14'].flatMap((id) =>
      (/Scopes[^:]*: ([a-z:, ]+)\./.exec(ruleOf(id).text)?.[1] ?? '').split(', '),
    );
    const granted = Object.values(KEY_KINDS).flatMap(({ scopes }) => scopes);
    expect([...new Set(granted)].sort()).toEqual(listed.sort());
  });

  test('of the limits [LIMIT-1, LIMIT-2, LIMIT-3, LIMIT-5]', () => {
    const limits = Object.fromEntries(
      rowsOf('LIMIT-1', 'LIMIT-2', 'LIMIT-3', 'LIMIT-5').map(([item = '', limit = '']) => [item, limit]),
    );
    const { installerPageSize, inboundPageSize, appointmentIdempotencyKeyLength } = LIMITS;
    const page = ({ max, ...rest }: { max: number; default: number }) =>
      `1 to ${max}, default ${rest.default}`;
    const grouped = (count: number) => count.toLocaleString('en-US');
    expect(limits).toMatchObject({
      'Installer API v1 (/partner/v1)': `${LIMITS.installerRequestsPerMinute} requests per minute`,
      'Inbound API (/inbound)': `${LIMITS.inboundRequestsPerMinute} requests per minute`,
      'Console API': `${grouped(LIMITS.consoleRequestsPerMinute)} requests per minute`,
      'Request body': `${LIMITS.bodyBytes / 1024 / 1024} MB`,
      'Appointment notes': `${LIMITS.appointmentNotesLength} characters`,
      'Job status note (inbound)': `${grouped(LIMITS.noteLength)} characters`,
      'Status event note': `${grouped(LIMITS.noteLength)} characters`,
      'Installer list page size': page(installerPageSize),
      'Inbound jobs page size': page(inboundPageSize),
      'Assignment membershipIds': `at most ${LIMITS.assignmentMembershipIds}, unique`,
      'Idempotency-Key header': `${LIMITS.idempotencyKeyLength} characters`,
      'Appointment idempotencyKey': `${appointmentIdempotencyKeyLength.min} to ${appointmentIdempotencyKeyLength.max} characters`,
      'Status event occurredAt': `at most ${LIMITS.occurredAtAheadMs / 60_000} minutes ahead, ${LIMITS.occurredAtBackMs / 86_400_000} days back`,
      'Webhook timestamp tolerance': `${LIMITS.webhookTimestampToleranceSeconds} seconds`,
      'Webhook response wait': `${LIMITS.webhookTimeoutMs / 1_000} seconds`,
      'Webhook attempts': `${LIMITS.webhookAttempts}, backoff from 1 minute doubling, capped at ${LIMITS.webhookBackoffCapMs / 3_600_000} hours`,
    });
    for (const name of ['fullName', 'email', 'phone', 'address']) {
      const maxLength = fieldsOf(leadIn).fields.get(name)?.maxLength ?? 0;
      expect([name, limits[name]]).toEqual([name, `${maxLength} characters`]);
    }
  });

  test('of the names and meanings of events [EVENT-3, EVENT-4]', () => {
    const added = [...NOTIFICATIONS, ...eventsNamedBy('journal.*')].map(String);
    const catalogue = Object.entries(EVENT_CATALOGUE).filter(([name]) => !added.includes(name));
    expect(catalogue.map(([name, { meaning }]) => [name, meaning])).toEqual(rowsOf('EVENT-3', 'EVENT-4'));
  });
});

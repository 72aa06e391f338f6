import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
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
import { file_partner_platform_v1_platform_messages } from '@partner/proto-contracts/gen/partner/platform/v1/platform_messages_pb';
import {
  PARTNER_EVENTS,
  PARTNER_EVENTS_FOR_PLATFORM,
  PLATFORM,
  PLATFORM_MESSAGES,
} from '@partner/proto-contracts/topology';
import { invariant } from '@partner/runtime/invariant';
import { PLATFORM_MESSAGE_TYPES } from './platform-messages.js';
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

describe('the page about the platform', () => {
  test('has a section with examples for each message that the platform sends', () => {
    const withExamples = sections.filter(({ examples }) => examples.length > 0).map(({ name }) => name);
    const sent = [...PLATFORM_MESSAGE_TYPES.values()].map(({ schema }) => schema.name);
    expect([...withExamples].sort()).toEqual([...sent].sort());
  });

  test.each(sections.map((section) => [section.name, section] as const))(
    'names the fields of %s as the contract does, each with its meaning',
    (name, { fields }) => {
      const message = file_partner_platform_v1_platform_messages.messages.find(
        (candidate) => candidate.name === name,
      );
      expect(message).toBeDefined();
      const ofPage = fields.map((field) => ({ name: field.name, type: field.type }));
      const inOrder = (rows: readonly { readonly name: string }[]) =>
        [...rows].sort((a, b) => (a.name < b.name ? -1 : 1));
      expect(inOrder(ofPage)).toEqual(inOrder(message === undefined ? [] : fieldsOf(message)));
      expect(fields.filter(({ meaning }) => meaning === '')).toEqual([]);
    },
  );

  test('names exchanges and queues as they are, and what the service tells', () => {
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

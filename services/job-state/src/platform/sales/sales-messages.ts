import type { DescMessage } from '@bufbuild/protobuf';
import {
  DepositPaidSchema,
  DepositRefundedSchema,
  InvoiceIssuedSchema,
  ProjectCompletedSchema,
  ProjectStageChangedSchema,
  QuoteAcceptedSchema,
  QuoteSentSchema,
  QuoteViewedSchema,
  RebateStatusChangedSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/sales_messages_pb';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import type {
  EventData,
  EventOfProject,
} from '@partner/proto-contracts/resources/event-catalogue/webhook-events';
import { z } from 'zod';
import { recordEvent } from '../../webhooks/events/record-event.js';
import {
  CODE_LENGTH,
  id,
  instant,
  money,
  NAME_LENGTH,
  optionalInstant,
  optionalText,
  text,
  version,
} from '../message-type/message-fields.js';
import { platformMessageType, type PlatformMessageType } from '../message-type/platform-message-type.js';
import { claimVersion, type SalesRecord } from './claim-version.js';
import { appointmentScheduledMessage } from './record-appointment-scheduled.js';
import { journalEntryRecordedMessage } from './record-journal-entry.js';
import { projectCreatedMessage } from './record-project-created.js';

const ofProject = { version, projectId: id('prj'), occurredAt: instant };

type CommandOfProject = z.infer<z.ZodObject<typeof ofProject>>;

/** A fact about a resource of a project: what is stored of it, and its event without `leadId`. */
interface SalesFact<E extends EventOfProject> extends Pick<SalesRecord, 'kind' | 'id' | 'state'> {
  readonly data: EventData<E>;
}

/**
 * Creates the type of a message whose fact one event announces to the company of its project, once per version of its resource,
 * also if it is late.
 *
 * The event has the version and the instant of the message, and the lead of the project. Without the project it is early; a
 * resource that is known as another project's is refused.
 */
function factMessage<Command extends CommandOfProject, E extends EventOfProject>(definition: {
  readonly schema: DescMessage;
  readonly form: z.ZodType<Command>;
  readonly event: E;
  readonly fact: (command: Command) => SalesFact<E>;
}): PlatformMessageType {
  const { schema, form, event, fact: factOf } = definition;
  return platformMessageType({
    schema,
    form,
    resourceId: (command) => factOf(command).id,
    isFact: true,
    async record(tx, command, now) {
      const { version, projectId, occurredAt } = command;
      const { kind, id, state, data } = factOf(command);
      const record = { kind, id, state, version, projectId, companyId: null };
      const { claim, companyId, leadId } = await claimVersion(tx, record);
      if (companyId === null) return { kind: 'early', missing: projectId };
      if (claim === 'contradicts') {
        return { kind: 'refused', reason: `${kind} ${id} belongs to another project than ${projectId}` };
      }
      if (claim === 'repeated') return { kind: 'ignored', why: 'the version is already recorded' };
      recordEvent(tx, {
        companyId,
        event,
        occurredAt,
        resource: { type: kind, id, version },
        data: { ...data, leadId },
        now,
      });
      return { kind: 'applied' };
    },
  });
}

const orNull = (date: Date | null): string | null => (date === null ? null : formatDateTime(date));

export const salesMessages: readonly PlatformMessageType[] = [
  projectCreatedMessage,
  factMessage({
    schema: ProjectStageChangedSchema,
    form: z.object({ ...ofProject, previousStage: optionalText(CODE_LENGTH), stage: text(CODE_LENGTH) }),
    event: 'project.stage_changed',
    fact: ({ projectId, previousStage, stage }) => ({
      kind: 'project',
      id: projectId,
      state: stage,
      data: { projectId, previousStage, stage },
    }),
  }),
  factMessage({
    schema: ProjectCompletedSchema,
    form: z.object(ofProject),
    event: 'project.completed',
    fact: ({ projectId, occurredAt }) => ({
      kind: 'project',
      id: projectId,
      state: 'COMPLETED',
      data: { projectId, completedAt: formatDateTime(occurredAt) },
    }),
  }),
  factMessage({
    schema: QuoteSentSchema,
    form: z.object({ ...ofProject, quoteId: id('quo'), total: money, validUntil: optionalInstant }),
    event: 'quote.sent',
    fact: ({ quoteId, projectId, total, validUntil }) => ({
      kind: 'quote',
      id: quoteId,
      state: 'SENT',
      data: { quoteId, projectId, total, validUntil: orNull(validUntil) },
    }),
  }),
  factMessage({
    schema: QuoteViewedSchema,
    form: z.object({ ...ofProject, quoteId: id('quo') }),
    event: 'quote.viewed',
    fact: ({ quoteId, projectId, occurredAt }) => ({
      kind: 'quote',
      id: quoteId,
      state: 'VIEWED',
      data: { quoteId, projectId, viewedAt: formatDateTime(occurredAt) },
    }),
  }),
  factMessage({
    schema: QuoteAcceptedSchema,
    form: z.object({
      ...ofProject,
      quoteId: id('quo'),
      optionName: optionalText(NAME_LENGTH),
      total: money,
    }),
    event: 'quote.accepted',
    fact: ({ quoteId, projectId, optionName, total, occurredAt }) => ({
      kind: 'quote',
      id: quoteId,
      state: 'ACCEPTED',
      data: { quoteId, projectId, optionName, total, acceptedAt: formatDateTime(occurredAt) },
    }),
  }),
  factMessage({
    schema: DepositPaidSchema,
    form: z.object({ ...ofProject, depositId: id('dep'), amount: money }),
    event: 'deposit.paid',
    fact: ({ depositId, projectId, amount, occurredAt }) => ({
      kind: 'deposit',
      id: depositId,
      state: 'PAID',
      data: { depositId, projectId, amount, paidAt: formatDateTime(occurredAt) },
    }),
  }),
  factMessage({
    schema: DepositRefundedSchema,
    form: z.object({ ...ofProject, depositId: id('dep'), amount: money }),
    event: 'deposit.refunded',
    fact: ({ depositId, projectId, amount, occurredAt }) => ({
      kind: 'deposit',
      id: depositId,
      state: 'REFUNDED',
      data: { depositId, projectId, amount, refundedAt: formatDateTime(occurredAt) },
    }),
  }),
  factMessage({
    schema: InvoiceIssuedSchema,
    form: z.object({
      ...ofProject,
      invoiceId: id('inv'),
      invoiceNumber: text(CODE_LENGTH),
      total: money,
      dueAt: optionalInstant,
    }),
    event: 'invoice.issued',
    fact: ({ invoiceId, projectId, invoiceNumber, total, dueAt, occurredAt }) => ({
      kind: 'invoice',
      id: invoiceId,
      state: 'ISSUED',
      data: {
        invoiceId,
        projectId,
        invoiceNumber,
        total,
        issuedAt: formatDateTime(occurredAt),
        dueAt: orNull(dueAt),
      },
    }),
  }),
  factMessage({
    schema: RebateStatusChangedSchema,
    form: z.object({
      ...ofProject,
      rebateId: id('reb'),
      programme: text(NAME_LENGTH),
      previousStatus: optionalText(CODE_LENGTH),
      status: text(CODE_LENGTH),
    }),
    event: 'rebate.status_changed',
    fact: ({ rebateId, projectId, programme, previousStatus, status }) => ({
      kind: 'rebate',
      id: rebateId,
      state: status,
      data: { rebateId, projectId, programme, previousStatus, status },
    }),
  }),
  appointmentScheduledMessage,
  journalEntryRecordedMessage,
];

import type { Timestamp } from '@bufbuild/protobuf/wkt';
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
import type { EventName } from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import type { IncomingMessage } from '@partner/kernel/amqp/consumer';
import { type IdPrefix, newId } from '@partner/kernel/process/ids';
import { platformMessage } from '../../../testing/test-jobs.js';

/** A version of a resource of a project. */
interface FactOf {
  /** The id of its resource; not needed for a project. */
  readonly id: string;
  readonly projectId: string;
  readonly version: number;
  readonly occurredAt: Timestamp;
}

/** A message with a fact, and the resulting event for the selling company. */
export interface FactCase {
  readonly event: EventName;
  readonly kind: string;
  /** The stored state. */
  readonly state: string;
  readonly newId: () => string;
  readonly message: (fact: FactOf) => IncomingMessage;
  /** The `data` of the event without `leadId`; `at` is the instant of the message as the event shows it. */
  readonly data: (fact: FactOf, at: string) => object;
}

const TOTAL = { amountMinor: '1849900', currency: 'USD' };
const TOTAL_IN_EVENT = { amountMinor: 1_849_900, currency: 'USD' };

const made = (prefix: IdPrefix) => () => newId(prefix);

/** Every message with a fact. */
export const FACT_CASES: readonly FactCase[] = [
  {
    event: 'quote.sent',
    kind: 'quote',
    state: 'SENT',
    newId: made('quo'),
    message: ({ id, ...about }) => platformMessage(QuoteSentSchema, { ...about, quoteId: id, total: TOTAL }),
    data: ({ id, projectId }) => ({ quoteId: id, projectId, total: TOTAL_IN_EVENT, validUntil: null }),
  },
  {
    event: 'quote.viewed',
    kind: 'quote',
    state: 'VIEWED',
    newId: made('quo'),
    message: ({ id, ...about }) => platformMessage(QuoteViewedSchema, { ...about, quoteId: id }),
    data: ({ id, projectId }, viewedAt) => ({ quoteId: id, projectId, viewedAt }),
  },
  {
    event: 'quote.accepted',
    kind: 'quote',
    state: 'ACCEPTED',
    newId: made('quo'),
    message: ({ id, ...about }) =>
      platformMessage(QuoteAcceptedSchema, { ...about, quoteId: id, optionName: 'Complete', total: TOTAL }),
    data: ({ id, projectId }, acceptedAt) => ({
      quoteId: id,
      projectId,
      optionName: 'Complete',
      total: TOTAL_IN_EVENT,
      acceptedAt,
    }),
  },
  {
    event: 'project.stage_changed',
    kind: 'project',
    state: 'PERMITTING',
    newId: made('prj'),
    message: ({ id: _id, ...about }) =>
      platformMessage(ProjectStageChangedSchema, { ...about, previousStage: 'DESIGN', stage: 'PERMITTING' }),
    data: ({ projectId }) => ({ projectId, previousStage: 'DESIGN', stage: 'PERMITTING' }),
  },
  {
    event: 'project.completed',
    kind: 'project',
    state: 'COMPLETED',
    newId: made('prj'),
    message: ({ id: _id, ...about }) => platformMessage(ProjectCompletedSchema, about),
    data: ({ projectId }, completedAt) => ({ projectId, completedAt }),
  },
  {
    event: 'deposit.paid',
    kind: 'deposit',
    state: 'PAID',
    newId: made('dep'),
    message: ({ id, ...about }) =>
      platformMessage(DepositPaidSchema, { ...about, depositId: id, amount: TOTAL }),
    data: ({ id, projectId }, paidAt) => ({ depositId: id, projectId, amount: TOTAL_IN_EVENT, paidAt }),
  },
  {
    event: 'deposit.refunded',
    kind: 'deposit',
    state: 'REFUNDED',
    newId: made('dep'),
    message: ({ id, ...about }) =>
      platformMessage(DepositRefundedSchema, { ...about, depositId: id, amount: TOTAL }),
    data: ({ id, projectId }, refundedAt) => ({
      depositId: id,
      projectId,
      amount: TOTAL_IN_EVENT,
      refundedAt,
    }),
  },
  {
    event: 'invoice.issued',
    kind: 'invoice',
    state: 'ISSUED',
    newId: made('inv'),
    message: ({ id, ...about }) =>
      platformMessage(InvoiceIssuedSchema, {
        ...about,
        invoiceId: id,
        invoiceNumber: 'INV-7',
        total: TOTAL,
        dueAt: about.occurredAt,
      }),
    data: ({ id, projectId }, at) => ({
      invoiceId: id,
      projectId,
      invoiceNumber: 'INV-7',
      total: TOTAL_IN_EVENT,
      issuedAt: at,
      dueAt: at,
    }),
  },
  {
    event: 'rebate.status_changed',
    kind: 'rebate',
    state: 'APPROVED',
    newId: made('reb'),
    message: ({ id, ...about }) =>
      platformMessage(RebateStatusChangedSchema, {
        ...about,
        rebateId: id,
        programme: 'State rebate',
        status: 'APPROVED',
      }),
    data: ({ id, projectId }) => ({
      rebateId: id,
      projectId,
      programme: 'State rebate',
      previousStatus: null,
      status: 'APPROVED',
    }),
  },
];

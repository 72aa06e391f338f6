import type { Timestamp } from '@bufbuild/protobuf/wkt';
import type { EventName } from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import type { IncomingMessage } from '@partner/kernel/amqp/consumer';
import { newId } from '@partner/kernel/process/ids';
import { at as minutesLater, MONEY, sent } from '../../testing/messages.js';

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
  readonly kind: keyof typeof KINDS;
  /** The stored state. */
  readonly state: string;
  readonly newId: () => string;
  readonly message: (fact: FactOf) => IncomingMessage;
  /** The `data` of the event without `leadId`; `at` is the instant of the message as the event shows it. */
  readonly data: (fact: FactOf, at: string) => object;
}

/** The prefix of the ids of each kind of resource, and the field that has the id. */
const KINDS = {
  quote: ['quo', 'quoteId'],
  project: ['prj', 'projectId'],
  deposit: ['dep', 'depositId'],
  invoice: ['inv', 'invoiceId'],
  rebate: ['reb', 'rebateId'],
} as const;

type Fields = Omit<FactOf, 'id'> & Partial<Record<(typeof KINDS)[keyof typeof KINDS][1], string>>;

function fact(
  event: EventName,
  kind: keyof typeof KINDS,
  state: string,
  message: (fields: Fields) => IncomingMessage,
  data: (at: string) => object,
): FactCase {
  const [prefix, field] = KINDS[kind];
  const ownId = (id: string) => (field === 'projectId' ? {} : { [field]: id });
  return {
    event,
    kind,
    state,
    newId: () => newId(prefix),
    message: ({ id, ...about }) => message({ ...about, ...ownId(id) }),
    data: ({ id, projectId }, at) => ({ projectId, ...ownId(id), ...data(at) }),
  };
}

const IN_EVENT = { amountMinor: Number(MONEY.amountMinor), currency: 'USD' };

/** Every message with a fact. */
export const FACT_CASES: readonly FactCase[] = [
  fact('quote.sent', 'quote', 'SENT', sent.quoteSent, () => ({ total: IN_EVENT, validUntil: null })),
  fact('quote.viewed', 'quote', 'VIEWED', sent.quoteViewed, (viewedAt) => ({ viewedAt })),
  fact('quote.accepted', 'quote', 'ACCEPTED', sent.quoteAccepted, (acceptedAt) => ({
    optionName: 'Complete',
    total: IN_EVENT,
    acceptedAt,
  })),
  fact('project.stage_changed', 'project', 'PERMITTING', sent.projectStageChanged, () => ({
    previousStage: 'DESIGN',
    stage: 'PERMITTING',
  })),
  fact('project.completed', 'project', 'COMPLETED', sent.projectCompleted, (completedAt) => ({
    completedAt,
  })),
  fact('deposit.paid', 'deposit', 'PAID', sent.depositPaid, (paidAt) => ({ amount: IN_EVENT, paidAt })),
  fact('deposit.refunded', 'deposit', 'REFUNDED', sent.depositRefunded, (refundedAt) => ({
    amount: IN_EVENT,
    refundedAt,
  })),
  fact('invoice.issued', 'invoice', 'ISSUED', sent.invoiceIssued, (issuedAt) => ({
    invoiceNumber: 'INV-7',
    total: IN_EVENT,
    issuedAt,
    dueAt: minutesLater(60).toISOString(),
  })),
  fact('rebate.status_changed', 'rebate', 'APPROVED', sent.rebateStatusChanged, () => ({
    programme: 'State rebate',
    previousStatus: null,
    status: 'APPROVED',
  })),
];

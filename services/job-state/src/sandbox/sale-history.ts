import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { CURRENT_SCHEMA_VERSION } from '@partner/proto-contracts/api/versions';
import type { EventData, EventName } from '@partner/proto-contracts/events/webhook-events';
import { renderEnvelope } from '../webhooks/events/render-envelope.js';
import { SANDBOX_START } from './sandbox-companies.js';
import { HOUR_MS } from './sandbox-jobs.js';
import { stableId } from './stable-id.js';

/** Older events than this, of about the last hundred days of the history, would not be kept for long. */
const EVENTS_FROM = new Date(SANDBOX_START.getTime() + 270 * 24 * HOUR_MS);

type SalesKind = 'project' | 'quote' | 'deposit' | 'invoice' | 'rebate' | 'journal_entry';

/** A project, a quote and so on of the sandbox, as far as the platform has told of it. */
export interface SandboxSalesRecord {
  readonly id: string;
  readonly kind: SalesKind;
  readonly companyId: string;
  readonly projectId: string;
  readonly version: number;
  readonly state: string;
}

/** A past event of the sandbox. */
export interface SandboxEvent {
  readonly id: string;
  readonly companyId: string;
  readonly name: EventName;
  readonly schemaVersion: number;
  readonly occurredAt: Date;
  readonly resource: { readonly type: string; readonly id: string; readonly version: number };
  readonly body: Buffer;
}

/** Collects the records and the events of one sale as its story goes on. */
export interface SaleHistory {
  readonly records: () => readonly SandboxSalesRecord[];
  readonly events: readonly SandboxEvent[];
  /** Adds an event that a company receives, unless it is too old to be kept. */
  readonly tell: <E extends EventName>(
    to: string,
    event: E,
    occurredAt: Date,
    resource: SandboxEvent['resource'],
    data: EventData<E>,
  ) => void;
  /** Moves a thing to its next version and adds the seller's event of it. */
  readonly tellSeller: <E extends EventName>(
    event: E,
    at: Date,
    thing: { readonly kind: SalesKind; readonly id: string; readonly state: string },
    data: EventData<E>,
  ) => void;
  /** Moves the project to another stage. */
  readonly moveTo: (stage: string, at: Date) => void;
  /** Adds a journal entry, of which the accounting companies receive an event. */
  readonly enterInJournal: <E extends EventName>(
    event: E,
    at: Date,
    dataOf: (entry: JournalEntry) => EventData<E>,
  ) => void;
}

/** What the events of all journal entries say. */
interface JournalEntry {
  readonly entryId: string;
  readonly companyId: string;
  readonly projectId: string;
  readonly recordedAt: string;
}

/** Begins the history of one sale of a company. */
export function createSaleHistory(sale: {
  /** The selling company. */
  readonly companyId: string;
  readonly projectId: string;
  /** Tells this sale from others, so that its ids are the same every time. */
  readonly label: string;
  readonly accountingCompanyIds: readonly string[];
}): SaleHistory {
  const { companyId, projectId, label, accountingCompanyIds } = sale;
  const records = new Map<string, SandboxSalesRecord>();
  const events: SandboxEvent[] = [];

  /** The thing of a kind, at its next version. */
  function next(kind: SalesKind, id: string, state: string): number {
    const version = (records.get(id)?.version ?? 0) + 1;
    records.set(id, { id, kind, companyId, projectId, version, state });
    return version;
  }
  function tell<E extends EventName>(
    to: string,
    event: E,
    occurredAt: Date,
    resource: SandboxEvent['resource'],
    data: EventData<E>,
  ) {
    if (occurredAt < EVENTS_FROM) return;
    const id = stableId('evt', `${event} ${resource.id} ${resource.version} ${to}`, occurredAt);
    events.push({
      id,
      companyId: to,
      name: event,
      schemaVersion: CURRENT_SCHEMA_VERSION,
      occurredAt,
      resource,
      body: renderEnvelope({ eventId: id, event, occurredAt, resource, data }),
    });
  }
  function tellSeller<E extends EventName>(
    event: E,
    at: Date,
    thing: { readonly kind: SalesKind; readonly id: string; readonly state: string },
    data: EventData<E>,
  ) {
    const version = next(thing.kind, thing.id, thing.state);
    tell(companyId, event, at, { type: thing.kind, id: thing.id, version }, data);
  }
  function moveTo(stage: string, at: Date) {
    const previousStage = records.get(projectId)?.state ?? null;
    tellSeller(
      'project.stage_changed',
      at,
      { kind: 'project', id: projectId, state: stage },
      {
        projectId,
        previousStage,
        stage,
      },
    );
  }
  function enterInJournal<E extends EventName>(
    event: E,
    at: Date,
    dataOf: (entry: JournalEntry) => EventData<E>,
  ) {
    const id = stableId('jrn', `${label} ${event}`, at);
    next('journal_entry', id, 'RECORDED');
    const data = dataOf({ entryId: id, companyId, projectId, recordedAt: formatDateTime(at) });
    for (const accountant of accountingCompanyIds) {
      tell(accountant, event, at, { type: 'journal_entry', id, version: 1 }, data);
    }
  }

  return { records: () => [...records.values()], events, tell, tellSeller, moveTo, enterInJournal };
}

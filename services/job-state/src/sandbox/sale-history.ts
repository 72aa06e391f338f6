import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { CURRENT_SCHEMA_VERSION } from '@partner/proto-contracts/api/versions';
import type { EventName } from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import type { EventData } from '@partner/proto-contracts/resources/event-catalogue/webhook-events';
import { renderEnvelope } from '../webhooks/events/render-envelope.js';
import { SANDBOX_START } from './sandbox-companies.js';
import { HOUR_MS } from './sandbox-jobs.js';
import { stableId } from './stable-id.js';

/** The history emits events of its last hundred days only; retention would soon delete older ones. */
const EVENTS_FROM = new Date(SANDBOX_START.getTime() + 270 * 24 * HOUR_MS);

type SalesKind = 'project' | 'quote' | 'deposit' | 'invoice' | 'rebate' | 'journal_entry';

/** A sales record of the sandbox at the last version that the platform published. */
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

/** Collects the records and the events of one sale. */
export interface SaleHistory {
  readonly records: () => readonly SandboxSalesRecord[];
  readonly events: readonly SandboxEvent[];
  /** Adds an event for a company, unless it is older than `EVENTS_FROM`. */
  readonly emit: <E extends EventName>(
    to: string,
    event: E,
    occurredAt: Date,
    resource: SandboxEvent['resource'],
    data: EventData<E>,
  ) => void;
  /** Moves a record to its next version and adds the seller's event for it. */
  readonly emitToSeller: <E extends EventName>(
    event: E,
    at: Date,
    record: { readonly kind: SalesKind; readonly id: string; readonly state: string },
    data: EventData<E>,
  ) => void;
  /** Moves the project to another stage. */
  readonly moveTo: (stage: string, at: Date) => void;
  /** Adds a journal entry and its event for each accounting company. */
  readonly enterInJournal: <E extends EventName>(
    event: E,
    at: Date,
    dataOf: (entry: JournalEntry) => EventData<E>,
  ) => void;
}

/** Fields that the events of all journal entries share. */
interface JournalEntry {
  readonly entryId: string;
  readonly companyId: string;
  readonly projectId: string;
  readonly recordedAt: string;
}

export function createSaleHistory(sale: {
  /** The selling company. */
  readonly companyId: string;
  readonly projectId: string;
  readonly leadId: string;
  /** Unique per sale and stable, so that each run derives the same ids. */
  readonly label: string;
  readonly accountingCompanyIds: readonly string[];
}): SaleHistory {
  const { companyId, projectId, leadId, label, accountingCompanyIds } = sale;
  const records = new Map<string, SandboxSalesRecord>();
  const events: SandboxEvent[] = [];

  /** Stores the record's new state; returns its next version. */
  function next(kind: SalesKind, id: string, state: string): number {
    const version = (records.get(id)?.version ?? 0) + 1;
    records.set(id, { id, kind, companyId, projectId, version, state });
    return version;
  }
  function emit<E extends EventName>(
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
  function emitToSeller<E extends EventName>(
    event: E,
    at: Date,
    record: { readonly kind: SalesKind; readonly id: string; readonly state: string },
    data: EventData<E>,
  ) {
    const version = next(record.kind, record.id, record.state);
    emit(companyId, event, at, { type: record.kind, id: record.id, version }, data);
  }
  function moveTo(stage: string, at: Date) {
    const previousStage = records.get(projectId)?.state ?? null;
    emitToSeller(
      'project.stage_changed',
      at,
      { kind: 'project', id: projectId, state: stage },
      {
        projectId,
        leadId,
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
      emit(accountant, event, at, { type: 'journal_entry', id, version: 1 }, data);
    }
  }

  return { records: () => [...records.values()], events, emit, emitToSeller, moveTo, enterInJournal };
}

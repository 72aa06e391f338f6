import type {
  EventData,
  EventOfProject,
} from '@partner/proto-contracts/resources/event-catalogue/webhook-events';
import type { Transaction } from '../../database/database.js';
import { recordEvent } from '../../webhooks/events/record-event.js';
import type { PlatformEffect } from '../platform-effect.js';
import { claimVersion, type SalesRecord } from './claim-version.js';

/** A fact about a resource of a project. */
export interface SalesFact<E extends EventOfProject = EventOfProject> extends Omit<SalesRecord, 'companyId'> {
  readonly projectId: string;
  readonly occurredAt: Date;
  /** The event for the selling company. */
  readonly event: E;
  /** Without `leadId`. */
  readonly data: EventData<E>;
}

/**
 * Announces a fact to the company of its project, once per version of its resource, also if it is late.
 *
 * The event has the version and the instant of the message, and the lead of the project. Without the project it is early; a
 * resource that is known as another project's is refused.
 */
export async function recordSalesFact(tx: Transaction, fact: SalesFact, now: Date): Promise<PlatformEffect> {
  const { id, kind, projectId, version, occurredAt, event, data } = fact;
  const { claim, companyId, leadId } = await claimVersion(tx, { ...fact, companyId: null });
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
}

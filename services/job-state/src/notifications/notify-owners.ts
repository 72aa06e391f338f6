import type { NotificationName } from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import type { EventData } from '@partner/proto-contracts/resources/event-catalogue/webhook-events';
import type { Transaction } from '../database/database.js';
import { recordEvent } from '../webhooks/events/record-event.js';
import { queueEmails } from './queue-emails.js';

/** A notification to the owners of a company. */
export interface Notification<E extends NotificationName> {
  readonly companyId: string;
  readonly event: E;
  /** The webhook or API key that it is about; its version counts the notifications about it. */
  readonly resource: {
    readonly type: 'webhook_subscription' | 'api_key';
    readonly id: string;
    readonly version: number;
  };
  readonly data: EventData<E>;
}

/**
 * Records a notification as an event of the company, and queues it for emails to its owners, in the transaction that marks
 * its occasion as announced.
 */
export function notifyOwners<E extends NotificationName>(
  tx: Transaction,
  notification: Notification<E>,
  now: Date,
): void {
  const { eventId } = recordEvent(tx, { ...notification, occurredAt: now, now });
  queueEmails(tx, notification.companyId, eventId);
}

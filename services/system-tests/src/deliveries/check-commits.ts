import { CURRENT_API_VERSION, CURRENT_SCHEMA_VERSION } from '@partner/proto-contracts/api/versions';
import { webhookEnvelope } from '@partner/proto-contracts/events/webhook-events';
import type { StoredEvent } from './delivery-history.js';
import { type HistoryIndex, TEST_EVENT, eventKey } from './history-index.js';

/** Every acknowledged write has made each of its events once, nothing else has made any, and each says what it is about. */
export function checkCommits(history: HistoryIndex): string[] {
  const counts = new Map<string, number>();
  for (const event of history.events) counts.set(eventKey(event), (counts.get(eventKey(event)) ?? 0) + 1);
  const violations = history.writes
    .flatMap(({ tells }) => tells.map(eventKey))
    .filter((key) => counts.get(key) !== 1)
    .map((key) =>
      counts.has(key)
        ? `${key}: one write has made ${counts.get(key)} events`
        : `${key}: LOST, its write was acknowledged and there is no event`,
    );
  return [...violations, ...history.events.flatMap((event) => checkEvent(history, event))];
}

function checkEvent(history: HistoryIndex, event: StoredEvent): string[] {
  const violations: string[] = [];
  const write = history.writeOf(event);
  if (event.name === TEST_EVENT) {
    const subscription = history.subscriptions.find(({ id }) => id === event.resourceId);
    if (subscription?.companyId !== event.companyId)
      violations.push('it is a test of no subscription of its company');
  } else if (write === undefined) {
    violations.push('no write has made it');
  } else if (write.companyId !== event.companyId) {
    violations.push(`it belongs to ${event.companyId}, the write was for ${write.companyId}`);
  }
  const envelope = webhookEnvelope.safeParse(JSON.parse(event.body.toString('utf8'))).data;
  const expected = {
    id: event.id,
    event: event.name,
    apiVersion: CURRENT_API_VERSION,
    schemaVersion: CURRENT_SCHEMA_VERSION,
    resource: { type: event.resourceType, id: event.resourceId, version: event.resourceVersion },
  };
  const { data: _data, occurredAt: _occurredAt, ...said } = envelope ?? {};
  if (JSON.stringify(said) !== JSON.stringify(expected)) {
    violations.push(`its body says ${JSON.stringify(said)} and not ${JSON.stringify(expected)}`);
  }
  return violations.map((violation) => `event ${event.id} (${eventKey(event)}): ${violation}`);
}

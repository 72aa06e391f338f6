import type { ApiKey } from '../../api/hooks.js';

/** Names of the kinds of keys. */
export const KIND_NAMES: Readonly<Record<ApiKey['kind'], string>> = {
  general: 'Leads and appointments',
  'installer-contractor': 'Jobs of one installer company',
  'installer-company': 'Your jobs',
  automation: 'Webhooks and deliveries',
};

const SCOPE_LABELS: Readonly<Record<string, string>> = {
  'leads:write': 'send leads',
  'appointments:write': 'book appointments',
  'jobs:read': 'read jobs',
  'jobs:status:write': 'report job status',
  'jobs:schedule:write': 'schedule jobs',
  'technicians:read': 'read technicians',
  'jobs:assignment:write': 'assign technicians',
  'events:read': 'read events',
  'events:replay': 'replay events',
  'webhooks:read': 'read webhooks',
  'webhooks:propose': 'propose changes of webhooks',
  'deliveries:read': 'read deliveries',
  'deliveries:retry': 'retry and replay deliveries',
  'statistics:read': 'read statistics',
  'audit:read': 'read the audit trail',
};

/** Returns the labels of a key's scopes. */
export function scopeLabels(scopes: readonly string[]): string {
  return scopes.map((scope) => SCOPE_LABELS[scope] ?? scope).join(', ');
}

/** Whether a key is in force. */
export function isInForce({ state }: Pick<ApiKey, 'state'>): boolean {
  return state === 'active' || state === 'expiring';
}

/** Returns the display name of a key. */
export function keyName(key: Pick<ApiKey, 'kind' | 'description'>): string {
  return key.description === null || key.description === '' ? KIND_NAMES[key.kind] : key.description;
}

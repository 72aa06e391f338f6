import { KEY_KINDS_OF_CLASS } from '@partner/proto-contracts/resources/api-key/api-key';
import type { ApiKey } from '../../api/hooks.js';
import type { OwnerSession } from '../../api/session.js';

type KeyKind = ApiKey['kind'];

interface KindLabels {
  readonly name: string;
  /** Purpose of the kind. */
  readonly purpose: string;
  /** Effect of the test command. */
  readonly testHint: string;
}

/** Labels of the kinds of keys. */
export const KIND_LABELS: Readonly<Record<KeyKind, KindLabels>> = {
  general: {
    name: 'Leads and appointments',
    purpose: 'Sends leads and books appointments from your website or software.',
    testHint:
      'Sends an empty lead. Expect 400: the key works, required fields are missing, and no lead is created. 401 means that the key is invalid.',
  },
  'installer-contractor': {
    name: 'Jobs of one installer',
    purpose: 'Lets one installer company read its jobs and leave notes.',
    testHint: 'Lists one job. Expect 200. 401 means that the key is invalid.',
  },
  'installer-company': {
    name: 'Your jobs',
    purpose: 'Reads jobs, reports their status, schedules them and assigns technicians.',
    testHint: 'Lists your technicians. Expect 200. 401 means that the key is invalid.',
  },
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
};

/** Returns the kinds that a company of a class can create. */
export function kindsFor(companyClass: OwnerSession['company']['class']): readonly KeyKind[] {
  return KEY_KINDS_OF_CLASS[companyClass];
}

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
  return key.description === null || key.description === '' ? KIND_LABELS[key.kind].name : key.description;
}

/** Returns a command that tests a key without changing data. */
export function testCommand(kind: KeyKind, apiKey: string, baseUrl: string): string {
  const header = `  -H 'x-api-key: ${apiKey}'`;
  switch (kind) {
    case 'general':
      return [
        `curl -i -X POST '${baseUrl}/inbound/leads' \\`,
        `${header} \\`,
        `  -H 'content-type: application/json' -d '{}'`,
      ].join('\n');
    case 'installer-contractor':
      return [`curl -i '${baseUrl}/inbound/jobs?take=1' \\`, header].join('\n');
    case 'installer-company':
      return [`curl -i '${baseUrl}/partner/v1/technicians' \\`, header].join('\n');
  }
}

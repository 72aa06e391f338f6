import { KEY_KINDS_OF_CLASS } from '@partner/proto-contracts/resources/api-key/api-key';
import type { ApiKey } from '../../api/api-keys.js';
import type { OwnerSession } from '../../api/session.js';

type KeyKind = ApiKey['kind'];

interface KindLabels {
  readonly name: string;
  /** What it is for. */
  readonly purpose: string;
  /** What a first try with it does. */
  readonly testHint: string;
}

/** The kinds of keys in plain words. */
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
};

/** The kinds that a company can make. */
export function kindsFor(companyClass: OwnerSession['company']['class']): readonly KeyKind[] {
  return KEY_KINDS_OF_CLASS[companyClass];
}

/** What a key may do, in plain words. */
export function scopeLabels(scopes: readonly string[]): string {
  return scopes.map((scope) => SCOPE_LABELS[scope] ?? scope).join(', ');
}

/** Whether a key is taken at the moment. */
export function isInForce({ state }: Pick<ApiKey, 'state'>): boolean {
  return state === 'active' || state === 'expiring';
}

/** What a key is called everywhere. */
export function keyName(key: Pick<ApiKey, 'kind' | 'description'>): string {
  return key.description === null || key.description === '' ? KIND_LABELS[key.kind].name : key.description;
}

/** A command that tries a key and changes nothing. */
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

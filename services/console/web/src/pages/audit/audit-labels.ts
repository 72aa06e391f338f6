import type { AuditAction } from '@partner/proto-contracts/resources/audit-entry/audit-entry';
import type { Output } from '../../api/operations.js';
import { PATHS } from '../../paths.js';

type Known = Output<'listAuditEntries'>['entries'][number];

/** One change that an owner made. During a rollout it can have an action or a subject that this page does not know. */
export type AuditEntry = Omit<Known, 'action' | 'subject'> & {
  readonly action: string;
  readonly subject: { readonly type: string; readonly id: string };
};

/** Label of each action in the filter. */
export const ACTION_LABELS: Readonly<Record<AuditAction, string>> = {
  'webhook.created': 'Webhook created',
  'webhook.updated': 'Webhook changed',
  'webhook.deleted': 'Webhook deleted',
  'webhook.tested': 'Test delivery sent',
  'webhook.activated': 'Webhook activated',
  'webhook.paused': 'Webhook paused',
  'webhook.secret_rotated': 'New secret created',
  'webhook.secret_activated': 'New secret activated',
  'delivery.replayed': 'Delivery replayed',
  'delivery.retried': 'Delivery retried',
  'bulk_replay.started': 'Bulk replay started',
  'bulk_replay.cancelled': 'Bulk replay stopped',
  'api_key.created': 'API key created',
  'api_key.rotated': 'API key rotated',
  'api_key.revoked': 'API key revoked',
  'api_key.faults_set': 'Fault script set',
  'api_key.faults_cleared': 'Fault script removed',
  'session.started': 'Signed in',
  'session.ended': 'Session ended',
  'session.confirmed': 'Session confirmed',
  'company.created': 'Company onboarded',
  'company.updated': 'Company changed',
  'owner.created': 'Person added',
  'owner.updated': 'Person changed',
  'owner.password_link_requested': 'Password link requested',
  'owner.code_refused': 'Wrong code entered',
  'technical_contact.requested': 'Technical contact set',
  'technical_contact.confirmed': 'Technical contact confirmed',
  'person.erased': 'Personal data erased',
  'company.erased': 'Company erased',
};

const FIELD_NAMES: Readonly<Record<string, string>> = {
  url: 'address',
  events: 'events',
  description: 'description',
  schemaVersion: 'schema version',
  headers: 'custom headers',
  deliveriesPerSecond: 'rate',
  name: 'name',
  installerRequestsPerMinute: 'rate limit',
  deliveryWeight: 'delivery weight',
  accountingCompanyIds: 'journal recipients',
  password: 'password',
  active: 'sign-in permission',
  secondFactor: 'two-factor authentication',
  recoveryCodes: 'recovery codes',
  provider: 'identity provider',
  role: 'role',
};

/** What operators do to a whole company. Another action is one of a newer version. */
const BY_OPERATORS: Readonly<Record<string, string>> = {
  'person.erased': 'Erased the personal data of a customer',
  'company.erased': 'Erased the data of the company',
};

/** Describes an entry in one sentence, without its actor. `nameOf` names an existing webhook. */
export function describeEntry(entry: AuditEntry, nameOf: (webhookId: string) => string | undefined): string {
  const { action, subject, details } = entry;
  const name = nameOf(subject.type === 'webhook' ? subject.id : (textOf(details['subscriptionId']) ?? ''));
  const webhook = name === undefined ? 'a webhook' : `the webhook ${name}`;
  const ofWebhook = name === undefined ? '' : ` of ${name}`;
  const lastFour = textOf(details['lastFour']);
  const person = textOf(details['displayName']) ?? subject.id;
  const isByProvider = details['issuer'] !== undefined;
  switch (action) {
    case 'webhook.created':
      return `Created ${webhook}`;
    case 'webhook.updated':
      return `Changed ${changedFields(details['changed'])} of ${webhook}`;
    case 'webhook.deleted': {
      const url = textOf(details['url']);
      return url === undefined ? `Deleted ${webhook}` : `Deleted the webhook to ${url}`;
    }
    case 'webhook.tested':
      return `Sent a test delivery to ${webhook}`;
    case 'webhook.activated':
      return `Activated ${webhook}`;
    case 'webhook.paused':
      return `Paused ${webhook}`;
    case 'webhook.secret_rotated':
      return `Created a new secret for ${webhook}`;
    case 'webhook.secret_activated':
      return `Activated the new secret of ${webhook}`;
    case 'delivery.replayed':
      return `Replayed a delivery${ofWebhook}`;
    case 'delivery.retried':
      return `Retried a delivery${ofWebhook}`;
    case 'bulk_replay.started':
      return `Started a bulk replay${ofWebhook}`;
    case 'bulk_replay.cancelled':
      return `Stopped a bulk replay${ofWebhook}`;
    case 'api_key.created':
      return `Created an API key${ending(lastFour)}`;
    case 'api_key.rotated':
      return `Rotated an API key to one${ending(lastFour)}`;
    case 'api_key.revoked':
      return `Revoked the API key${ending(lastFour)}`;
    case 'api_key.faults_set':
      return `Set a fault script for the API key${ending(lastFour)}`;
    case 'api_key.faults_cleared':
      return `Removed the fault script of the API key${ending(lastFour)}`;
    case 'session.started':
      return isByProvider ? 'Signed in with the identity provider' : 'Signed in';
    case 'session.ended':
      return 'Ended a session';
    case 'session.confirmed':
      return isByProvider ? 'Signed in again with the identity provider' : 'Confirmed the password';
    case 'company.created':
      return 'Onboarded the company';
    case 'company.updated':
      return `Changed ${changedFields(details['changed'])} of the company`;
    case 'owner.created':
      return `Added the ${textOf(details['role']) ?? 'owner'} ${person}`;
    case 'owner.updated':
      return `Changed ${changedFields(details['changed'])} of ${person}`;
    case 'owner.password_link_requested':
      return `Requested a password link for ${person}`;
    case 'owner.code_refused':
      return `Entered a wrong code for ${person}`;
    case 'technical_contact.requested':
      return 'Set the technical contact';
    case 'technical_contact.confirmed':
      return 'Confirmed the technical contact';
    default:
      return BY_OPERATORS[action] ?? action;
  }
}

/** Returns the path to the subject of an entry, if it still exists. */
export function subjectPath(
  entry: AuditEntry,
  nameOf: (webhookId: string) => string | undefined,
): string | undefined {
  const { subject, details } = entry;
  if (subject.type === 'delivery') return PATHS.delivery(subject.id);
  if (subject.type === 'api_key') return PATHS.apiKeys;
  const webhookId = subject.type === 'webhook' ? subject.id : textOf(details['subscriptionId']);
  if (webhookId === undefined || nameOf(webhookId) === undefined) return undefined;
  return PATHS.webhook(webhookId);
}

const DETAIL_NAMES: Readonly<Record<string, string>> = {
  ...FIELD_NAMES,
  changed: 'Changed',
  url: 'Address',
  events: 'Events',
  description: 'Description',
  schemaVersion: 'Schema version',
  headerNames: 'Custom headers',
  deliveriesPerSecond: 'Deliveries per second',
  state: 'New state',
  secretVersion: 'Secret version',
  pendingSecretVersion: 'Pending secret version',
  subscriptionId: 'Webhook',
  eventId: 'Event',
  eventIds: 'Events by id',
  fromSequence: 'First event number',
  toSequence: 'Last event number',
  replayId: 'Replay',
  backfillId: 'Replay of held events',
  kind: 'Kind',
  boundCompanyId: 'Bound company',
  lastFour: 'Last four characters',
  replacedBy: 'Replaced by',
  overlapHours: 'Overlap in hours',
  expiresAt: 'Expires',
  states: 'Delivery states',
  from: 'From',
  to: 'To',
  event: 'Event name',
  perMinute: 'Deliveries per minute',
  total: 'Total deliveries',
  queued: 'Deliveries queued',
  name: 'Name',
  class: 'Class',
  installerRequestsPerMinute: 'Requests per minute',
  deliveryWeight: 'Delivery weight',
  accountingCompanyIds: 'Journal recipients',
  displayName: 'Person',
  erasureId: 'Erasure',
  leadIds: 'Leads',
  projectIds: 'Projects',
  jobIds: 'Jobs',
  role: 'Role',
  email: 'Email address',
  active: 'Can sign in',
  secondFactor: 'Two-factor authentication',
  issuer: 'Identity provider',
  recoveryCodesLeft: 'Recovery codes left',
};

/** Returns the details of an entry as labels and texts, without unset ones. */
export function detailRows(details: AuditEntry['details']): readonly (readonly [string, string])[] {
  return Object.entries(details).flatMap(([name, value]): [string, string][] => {
    if (value === null || value === undefined || value === '') return [];
    return [[DETAIL_NAMES[name] ?? name, detailText(value)]];
  });
}

function detailText(value: unknown): string {
  if (Array.isArray(value)) return value.map(detailText).join(', ');
  return typeof value === 'string' ? (FIELD_NAMES[value] ?? value) : JSON.stringify(value);
}

function changedFields(changed: unknown): string {
  const names = Array.isArray(changed)
    ? changed.map((name) => FIELD_NAMES[String(name)] ?? String(name))
    : [];
  if (names.length === 0) return 'something';
  return `the ${new Intl.ListFormat('en').format(names)}`;
}

function ending(lastFour: string | undefined): string {
  return lastFour === undefined ? '' : ` ending in ${lastFour}`;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

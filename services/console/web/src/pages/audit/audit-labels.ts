import { AUDIT_ACTIONS, type AuditAction } from '@partner/proto-contracts/resources/audit-entry/audit-entry';
import type { Output } from '../../api/hooks.js';
import { PATHS } from '../../paths.js';

type Known = Output<'listAuditEntries'>['entries'][number];

/** One change that an owner made. During a rollout it can have an action or a subject that this page does not know. */
export type AuditEntry = Omit<Known, 'action' | 'subject'> & {
  readonly action: string;
  readonly subject: { readonly type: string; readonly id: string };
};

/** Each action: its label in the filter, and the sentence of an entry with parts of the entry in braces. */
const ACTIONS: Readonly<Record<AuditAction, readonly [label: string, sentence: string]>> = {
  'webhook.created': ['Webhook created', 'Created {webhook}'],
  'webhook.updated': ['Webhook changed', 'Changed {changed} of {webhook}'],
  'webhook.deleted': ['Webhook deleted', 'Deleted {deleted}'],
  'webhook.tested': ['Test delivery sent', 'Sent a test delivery to {webhook}'],
  'webhook.activated': ['Webhook activated', 'Activated {webhook}'],
  'webhook.paused': ['Webhook paused', 'Paused {webhook}'],
  'webhook.secret_rotated': ['New secret created', 'Created a new secret for {webhook}'],
  'webhook.secret_activated': ['New secret activated', 'Activated the new secret of {webhook}'],
  'webhook_proposal.filed': ['Webhooks proposed', 'Proposed changes of webhooks{from}'],
  'webhook_proposal.confirmed': ['Proposal confirmed', 'Confirmed proposed changes of webhooks{from}'],
  'webhook_proposal.rejected': ['Proposal rejected', 'Rejected proposed changes of webhooks{from}'],
  'webhook_proposal.withdrawn': ['Proposal withdrawn', 'Withdrew proposed changes of webhooks{from}'],
  'delivery.replayed': ['Delivery replayed', 'Replayed a delivery{ofWebhook}'],
  'delivery.retried': ['Delivery retried', 'Retried a delivery{ofWebhook}'],
  'bulk_replay.started': ['Bulk retry started', 'Started a bulk retry{ofWebhook}'],
  'bulk_replay.cancelled': ['Bulk retry stopped', 'Stopped a bulk retry{ofWebhook}'],
  'api_key.created': ['API key created', 'Created an API key{ending}'],
  'api_key.rotated': ['API key rotated', 'Rotated an API key to one{ending}'],
  'api_key.revoked': ['API key revoked', 'Revoked the API key{ending}'],
  'api_key.faults_set': ['Fault script set', 'Set a fault script for the API key{ending}'],
  'api_key.faults_cleared': ['Fault script removed', 'Removed the fault script of the API key{ending}'],
  'session.started': ['Signed in', 'Signed in{withProvider}'],
  'session.ended': ['Session ended', 'Ended a session'],
  'session.confirmed': ['Session confirmed', '{confirmed}'],
  'company.created': ['Company onboarded', 'Onboarded the company'],
  'company.updated': ['Company changed', 'Changed {changed} of the company'],
  'owner.created': ['Person added', 'Added the {role} {person}'],
  'owner.updated': ['Person changed', 'Changed {changed} of {person}'],
  'owner.password_link_requested': ['Password link requested', 'Requested a password link for {person}'],
  'owner.code_refused': ['Wrong code entered', 'Entered a wrong code for {person}'],
  'technical_contact.requested': ['Technical contact set', 'Set the technical contact'],
  'technical_contact.confirmed': ['Technical contact confirmed', 'Confirmed the technical contact'],
  'person.erased': ['Personal data erased', 'Erased the personal data of a customer'],
  'company.erased': ['Company erased', 'Erased the data of the company'],
};

/** Returns the label of an action in the filter. */
export function actionLabel(action: AuditAction): string {
  return ACTIONS[action][0];
}

/** Describes an entry in one sentence, without its actor. `nameOf` names an existing webhook. */
export function describeEntry(entry: AuditEntry, nameOf: (webhookId: string) => string | undefined): string {
  const { action, subject, details } = entry;
  const known = AUDIT_ACTIONS.find((each) => each === action);
  // An action of a newer version.
  if (known === undefined) return action;
  const name = nameOf(subject.type === 'webhook' ? subject.id : (textOf(details['subscriptionId']) ?? ''));
  const webhook = name === undefined ? 'a webhook' : `the webhook ${name}`;
  const url = textOf(details['url']);
  const lastFour = textOf(details['lastFour']);
  const source = textOf(details['source']);
  const isByProvider = details['issuer'] !== undefined;
  const parts: Readonly<Record<string, string>> = {
    webhook,
    deleted: url === undefined ? webhook : `the webhook to ${url}`,
    ofWebhook: name === undefined ? '' : ` of ${name}`,
    changed: changedFields(details['changed']),
    from: source === undefined ? '' : ` from ${source}`,
    ending: lastFour === undefined ? '' : ` ending in ${lastFour}`,
    role: textOf(details['role']) ?? 'owner',
    person: textOf(details['displayName']) ?? subject.id,
    withProvider: isByProvider ? ' with the identity provider' : '',
    confirmed: isByProvider ? 'Signed in again with the identity provider' : 'Confirmed the password',
  };
  return ACTIONS[known][1].replace(/\{(\w+)\}/g, (_, part: string) => parts[part] ?? '');
}

/** Returns the path to the subject of an entry, if it still exists. */
export function subjectPath(
  entry: AuditEntry,
  nameOf: (webhookId: string) => string | undefined,
): string | undefined {
  const { subject, details } = entry;
  const proposalId = textOf(details['proposalId']);
  if (proposalId !== undefined) return PATHS.webhookProposal(proposalId);
  if (subject.type === 'delivery') return PATHS.delivery(subject.id);
  if (subject.type === 'api_key') return PATHS.apiKeys;
  const webhookId = subject.type === 'webhook' ? subject.id : textOf(details['subscriptionId']);
  if (webhookId === undefined || nameOf(webhookId) === undefined) return undefined;
  return PATHS.webhook(webhookId);
}

/** Labels of details that their names don't say; in lower case also the names of fields that were changed. */
const DETAIL_NAMES: Readonly<Record<string, string>> = {
  url: 'Address',
  headerNames: 'Custom headers',
  state: 'New state',
  subscriptionId: 'Webhook',
  eventId: 'Event',
  eventIds: 'Events by ID',
  fromSequence: 'First event number',
  toSequence: 'Last event number',
  replayId: 'Replay',
  backfillId: 'Sending of missed events',
  proposalId: 'Proposal',
  boundCompanyId: 'Installer company',
  lastFour: 'Last four characters',
  overlapHours: 'Overlap in hours',
  expiresAt: 'Expires',
  states: 'Delivery states',
  event: 'Event name',
  perMinute: 'Deliveries per minute',
  total: 'Total deliveries',
  queued: 'Deliveries queued',
  installerRequestsPerMinute: 'Requests per minute',
  accountingCompanyIds: 'Journal recipients',
  displayName: 'Person',
  erasureId: 'Erasure',
  leadIds: 'Leads',
  projectIds: 'Projects',
  jobIds: 'Jobs',
  email: 'Email address',
  active: 'Can sign in',
  secondFactor: 'Two-factor authentication',
  issuer: 'Identity provider',
};

/** Names of changed fields that are no detail, or not its label in lower case. */
const FIELD_NAMES: Readonly<Record<string, string>> = {
  headers: 'custom headers',
  provider: 'identity provider',
  deliveriesPerSecond: 'rate',
  fields: 'fields',
  ordered: 'order',
  asymmetricSignature: 'signature',
  installerRequestsPerMinute: 'rate limit',
  active: 'sign-in permission',
};

/** `secretVersion` is `Secret version`. */
function detailName(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return DETAIL_NAMES[name] ?? `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

function fieldName(name: string): string {
  return FIELD_NAMES[name] ?? detailName(name).toLowerCase();
}

/** Returns the details of an entry as texts by their labels, without unset ones. */
export function detailsByLabel(details: AuditEntry['details']): Readonly<Record<string, string>> {
  const set = Object.entries(details).filter(
    ([, value]) => value !== null && value !== undefined && value !== '',
  );
  return Object.fromEntries(
    set.map(([name, value]) => {
      const names = name === 'changed' && Array.isArray(value) ? value.map(String).map(fieldName) : value;
      return [detailName(name), detailText(names)];
    }),
  );
}

function detailText(value: unknown): string {
  if (Array.isArray(value)) return value.map(detailText).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function changedFields(changed: unknown): string {
  const names = Array.isArray(changed) ? changed.map((name) => fieldName(String(name))) : [];
  return names.length === 0 ? 'something' : `the ${new Intl.ListFormat('en').format(names)}`;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

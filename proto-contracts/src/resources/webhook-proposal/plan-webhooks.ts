import { WEBHOOK_LIMITS } from '../../api/limits.js';
import { isDeepStrictEqual } from 'node:util';
import type { CompanyClassName } from '../../values/company-class.js';
import { isSameHost } from '../../values/same-host.js';
import { shortUrl } from '../../values/short-url.js';
import { allowedPatterns } from '../event-catalogue/catalogue.js';
import { sentUrl } from '../subscription/endpoint-url.js';
import { type FieldFilter, normalizedFilter } from '../subscription/field-filter.js';
import type { Subscription } from '../subscription/subscription.js';
import type { ConfiguredWebhook } from './configured-webhook.js';
import type { WebhookDifference } from './webhook-proposal.js';

type WebhookChange = Partial<Omit<ConfiguredWebhook, 'id'>>;

/** A webhook as far as a plan needs it. */
export type PlannedWebhook = Pick<
  Subscription,
  | 'id'
  | 'url'
  | 'events'
  | 'description'
  | 'schemaVersion'
  | 'deliveriesPerSecond'
  | 'fields'
  | 'ordered'
  | 'asymmetricSignature'
  | 'headerNames'
  | 'state'
>;

/** One difference between a file and the webhooks of a company. `place` is the path of the webhook in the file. */
export type WebhookStep<Existing extends PlannedWebhook> =
  | { readonly kind: 'create'; readonly place: string; readonly wanted: ConfiguredWebhook }
  | {
      readonly kind: 'change';
      readonly place: string;
      readonly webhook: Existing;
      readonly change: WebhookChange;
    }
  | { readonly kind: 'unlisted'; readonly webhook: Existing }
  | { readonly kind: 'delete'; readonly webhook: Existing };

/** The differences, in the order of the file, and the number of webhooks without any. */
export interface WebhookPlan<Existing extends PlannedWebhook> {
  readonly steps: readonly WebhookStep<Existing>[];
  readonly unchanged: number;
  /** Why parts of the file cannot be applied; then the steps are incomplete. */
  readonly violations: readonly { readonly path: string; readonly message: string }[];
}

/**
 * Compares the webhooks of a file with those of a company, without effects (decisions CONFIG-1 and CONFIG-2). With `prune`, webhooks that
 * the file does not have are to be deleted. `place` is the path of the webhooks in the file.
 */
export function planWebhooks<Existing extends PlannedWebhook>(
  webhooks: readonly ConfiguredWebhook[],
  existing: readonly Existing[],
  of: { readonly companyClass: CompanyClassName; readonly prune: boolean; readonly place: string },
): WebhookPlan<Existing> {
  const { companyClass, prune } = of;
  const matched = matchWebhooks(webhooks, existing);
  const listed = new Set(matched.values());
  const others = existing.filter((webhook) => !listed.has(webhook));
  const rest = others.map((webhook) => ({ kind: prune ? 'delete' : 'unlisted', webhook }) as const);
  // First, since a company at its limit of webhooks can create another one only then.
  const steps: WebhookStep<Existing>[] = prune ? [...rest] : [];
  const violations: WebhookPlan<Existing>['violations'][number][] = [];
  let unchanged = 0;
  for (const [index, wanted] of webhooks.entries()) {
    const place = `${of.place}.${index}`;
    violations.push(...eventViolations(wanted, companyClass, place));
    const found = matched.get(wanted);
    if (isShortened(wanted.url) && !(typeof found === 'object' && isSameUrl(wanted.url, found.url)))
      violations.push({
        path: `${place}.url`,
        message: 'must be the whole URL of a webhook whose URL changes',
      });
    if (typeof found === 'object') violations.push(...headerViolations(wanted, found, place));
    if (typeof found === 'string') violations.push({ path: place, message: found });
    else if (found === undefined) steps.push({ kind: 'create', place, wanted });
    else {
      const change = changeOf(wanted, found);
      if (Object.keys(change).length === 0) unchanged += 1;
      else steps.push({ kind: 'change', place, webhook: found, change });
    }
  }
  if (!prune) steps.push(...rest);
  const created = steps.filter(({ kind }) => kind === 'create').length;
  const left = existing.length + created - (prune ? rest.length : 0);
  if (created > 0 && left > WEBHOOK_LIMITS.subscriptionsPerCompany) {
    const message = `must leave the company at most ${WEBHOOK_LIMITS.subscriptionsPerCompany} webhooks, not ${left}`;
    violations.push({ path: of.place, message });
  }
  return { steps, unchanged, violations };
}

/**
 * Finds the existing webhook of each webhook of the file: by its id; else by its description; else by its URL, if exactly one webhook on
 * each side is left with it, since an owner can have changed the description. A text says why there is none, undefined that it
 * does not exist yet.
 */
function matchWebhooks<Existing extends PlannedWebhook>(
  wanted: readonly ConfiguredWebhook[],
  existing: readonly Existing[],
): ReadonlyMap<ConfiguredWebhook, Existing | string> {
  const matched = new Map<ConfiguredWebhook, Existing | string>();
  for (const webhook of wanted) {
    if (webhook.id === undefined) continue;
    const found = existing.find(({ id }) => id === webhook.id);
    matched.set(webhook, found ?? `${webhook.id} is not a webhook of this company`);
  }
  const left = () => {
    const taken = new Set(matched.values());
    return existing.filter((webhook) => !taken.has(webhook));
  };
  for (const webhook of wanted) {
    if (matched.has(webhook)) continue;
    const [found, ...others] = left().filter(({ description }) => description === webhook.description);
    if (found === undefined) continue;
    const ids = [found, ...others].map(({ id }) => id).join(', ');
    matched.set(
      webhook,
      others.length === 0 ? found : `several webhooks have this description: add the id of one of ${ids}`,
    );
  }
  const rest = wanted.filter((webhook) => !matched.has(webhook));
  for (const webhook of rest) {
    const [found, ...others] = left().filter(({ url }) => url === normalized(webhook.url));
    const rivals = rest.filter(({ url }) => normalized(url) === normalized(webhook.url));
    if (found !== undefined && others.length === 0 && rivals.length === 1) matched.set(webhook, found);
  }
  return matched;
}

function eventViolations({ events }: ConfiguredWebhook, companyClass: CompanyClassName, place: string) {
  const allowed = allowedPatterns(companyClass);
  const message = `must be allowed for the class ${companyClass}: ${allowed.join(', ')}`;
  return events.flatMap((pattern, index) =>
    allowed.includes(pattern) ? [] : [{ path: `${place}.events.${index}`, message }],
  );
}

/** A file has no values of headers, and those that are stored never reach another host. */
function headerViolations({ url }: ConfiguredWebhook, found: PlannedWebhook, place: string) {
  if (found.headerNames.length === 0 || isSameHost(url, found.url)) return [];
  const message =
    `must keep the host of ${found.id}, whose custom headers (${found.headerNames.join(', ')}) are for it; ` +
    'change its URL outside of the file, together with the headers';
  return [{ path: `${place}.url`, message }];
}

function changeOf(wanted: ConfiguredWebhook, found: PlannedWebhook): WebhookChange {
  const { url, events, description, schemaVersion, deliveriesPerSecond, fields } = wanted;
  const { ordered, asymmetricSignature } = wanted;
  const differs = <T>(value: T | undefined, present: T) =>
    value !== undefined && !isDeepStrictEqual(value, present);
  return {
    ...(!isSameUrl(url, found.url) && { url }),
    ...(asSet(events) !== asSet(found.events) && { events }),
    ...(differs(description, found.description) && { description }),
    ...(differs(schemaVersion, found.schemaVersion) && { schemaVersion }),
    ...(differs(deliveriesPerSecond, found.deliveriesPerSecond) && { deliveriesPerSecond }),
    ...(differs(fields && normalizedFilter(fields), found.fields) && { fields }),
    ...(differs(ordered, found.ordered) && { ordered }),
    ...(differs(asymmetricSignature, found.asymmetricSignature) && { asymmetricSignature }),
  };
}

function asSet(events: readonly string[]): string {
  return [...new Set(events)].sort().join();
}

/** A URL that is shortened as for people who do not manage the webhook stays as it is. */
function isSameUrl(wanted: string, present: string): boolean {
  return normalized(wanted) === present || (isShortened(wanted) && wanted === shortUrl(present));
}

function isShortened(url: string): boolean {
  return url.endsWith('…');
}

function normalized(text: string): string {
  return sentUrl(text)?.text ?? text;
}

const FIELDS = [
  'url',
  'events',
  'description',
  'schemaVersion',
  'deliveriesPerSecond',
  'fields',
  'ordered',
  'asymmetricSignature',
] as const;

/** The fields of a change with their present and their wanted values. */
export function changedFields({ webhook, change }: { webhook: PlannedWebhook; change: WebhookChange }) {
  return FIELDS.flatMap((field) => {
    const to = change[field];
    return to === undefined ? [] : [{ field, from: webhook[field], to }];
  });
}

/** Returns a webhook as an export writes it: without what it does not have, so that a plan of it has no difference. */
export function configuredOf(webhook: Omit<PlannedWebhook, 'headerNames' | 'state'>): ConfiguredWebhook {
  const { id, description, url, events, schemaVersion, deliveriesPerSecond, fields } = webhook;
  const { ordered, asymmetricSignature } = webhook;
  return {
    ...{ id, description, url, events, schemaVersion },
    ...(deliveriesPerSecond !== null && { deliveriesPerSecond }),
    ...(fields !== null && { fields }),
    ...(ordered && { ordered }),
    ...(asymmetricSignature && { asymmetricSignature }),
  };
}

/** Whether a change pauses its webhook, until its new URL is tested and it is activated. */
export function pausesWebhook({ webhook, change }: { webhook: PlannedWebhook; change: WebhookChange }) {
  return change.url !== undefined && webhook.state === 'active';
}

/** A value of a webhook's field in words. */
export function valueText(value: string | number | boolean | null | readonly string[] | FieldFilter): string {
  if (value === null) return 'none';
  if (typeof value !== 'object') return String(value);
  return isList(value)
    ? value.join(', ')
    : Object.entries(value)
        .map(([pattern, fields]) => `${pattern} (${fields.join(', ')})`)
        .join(', ');
}

function isList(value: readonly string[] | FieldFilter): value is readonly string[] {
  return Array.isArray(value);
}

/** Returns the steps of a plan as the API shows them. */
export function differencesOf(steps: readonly WebhookStep<PlannedWebhook>[]): WebhookDifference[] {
  return steps.map((step) => {
    if (step.kind === 'create') {
      const changes = FIELDS.flatMap((field) => {
        const to = step.wanted[field];
        return to === undefined ? [] : [{ field, from: null, to: valueText(to) }];
      });
      return { kind: step.kind, webhookId: null, description: step.wanted.description ?? '', changes };
    }
    const { id: webhookId, description, url } = step.webhook;
    if (step.kind !== 'change') {
      return { kind: step.kind, webhookId, description, changes: [{ field: 'url', from: url, to: null }] };
    }
    const changes = changedFields(step).map(({ field, from, to }) => ({
      field,
      from: valueText(from),
      to: valueText(to),
    }));
    return { kind: step.kind, webhookId, description, changes, pauses: pausesWebhook(step) };
  });
}

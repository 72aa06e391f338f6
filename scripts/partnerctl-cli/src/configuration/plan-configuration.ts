import { isDeepStrictEqual } from 'node:util';
import { allowedPatterns } from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import { normalizedFilter } from '@partner/proto-contracts/resources/subscription/field-filter';
import { sentUrl } from '@partner/proto-contracts/resources/subscription/endpoint-url';
import { isSameHost } from '@partner/proto-contracts/values/same-host';
import type { Company } from '@partner/proto-contracts/resources/company/company';
import type { Subscription } from '@partner/proto-contracts/resources/subscription/subscription';
import type { TechnicalContact } from '@partner/proto-contracts/resources/technical-contact/technical-contact';
import type { FieldViolation } from '@partner/kernel/process/service-error';
import type { Configuration, ConfiguredWebhook } from './configuration-file.js';

export interface CompanyState {
  readonly company: Pick<Company, 'id' | 'name' | 'class'>;
  readonly webhooks: readonly Subscription[];
  readonly contact: TechnicalContact;
}

type WebhookChange = Partial<Omit<ConfiguredWebhook, 'id'>>;

export type Step = { readonly company: CompanyState['company'] } & (
  | { readonly kind: 'create'; readonly wanted: ConfiguredWebhook }
  | { readonly kind: 'change'; readonly webhook: Subscription; readonly change: WebhookChange }
  | { readonly kind: 'unlisted'; readonly webhook: Subscription }
  | { readonly kind: 'delete'; readonly webhook: Subscription }
  | { readonly kind: 'contact'; readonly email: string; readonly former: string | null }
);

/** The differences, in the order of the file, and the number of webhooks and contacts without any. */
export interface ConfigurationPlan {
  readonly steps: readonly Step[];
  readonly unchanged: number;
  /** Why parts of the file cannot be applied; then the steps are incomplete. */
  readonly violations: readonly FieldViolation[];
}

/**
 * Compares a file with what exists, without effects (decisions CONFIG-1 and CONFIG-2). With `prune`, webhooks that the file does not have are to be
 * deleted. A company without a state does not exist.
 */
export function planConfiguration(
  { companies }: Configuration,
  states: ReadonlyMap<string, CompanyState>,
  { prune }: { readonly prune: boolean },
): ConfigurationPlan {
  const steps: Step[] = [];
  const violations: FieldViolation[] = [];
  let unchanged = 0;
  for (const [id, { technicalContact, webhooks }] of Object.entries(companies)) {
    const state = states.get(id);
    if (state === undefined) {
      violations.push({ path: `companies.${id}`, message: 'must be the id of a company that exists' });
      continue;
    }
    const { company, contact } = state;
    if (technicalContact !== undefined) {
      if ([contact.email, contact.pending?.email].includes(technicalContact)) unchanged += 1;
      else steps.push({ company, kind: 'contact', email: technicalContact, former: contact.email });
    }
    if (webhooks === undefined) continue;
    const matched = matchWebhooks(webhooks, state.webhooks);
    const listed = new Set(matched.values());
    const others = state.webhooks.filter((webhook) => !listed.has(webhook));
    const rest = others.map((webhook): Step => ({ company, kind: prune ? 'delete' : 'unlisted', webhook }));
    // First, since a company at its limit of webhooks can create another one only then.
    if (prune) steps.push(...rest);
    for (const [index, wanted] of webhooks.entries()) {
      const place = `companies.${id}.webhooks.${index}`;
      violations.push(...eventViolations(wanted, company, place));
      const found = matched.get(wanted);
      if (typeof found === 'object') violations.push(...headerViolations(wanted, found, place));
      if (typeof found === 'string') violations.push({ path: place, message: found });
      else if (found === undefined) steps.push({ company, kind: 'create', wanted });
      else {
        const change = changeOf(wanted, found);
        if (Object.keys(change).length === 0) unchanged += 1;
        else steps.push({ company, kind: 'change', webhook: found, change });
      }
    }
    if (!prune) steps.push(...rest);
  }
  return { steps, unchanged, violations };
}

/**
 * Finds the existing webhook of each webhook of the file: by its id; else by its description; else by its URL, if exactly one webhook on
 * each side is left with it, since an owner can have changed the description. A text says why there is none, undefined that it
 * does not exist yet.
 */
function matchWebhooks(
  wanted: readonly ConfiguredWebhook[],
  existing: readonly Subscription[],
): ReadonlyMap<ConfiguredWebhook, Subscription | string> {
  const matched = new Map<ConfiguredWebhook, Subscription | string>();
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

function eventViolations(
  { events }: ConfiguredWebhook,
  { class: ofClass }: CompanyState['company'],
  place: string,
): FieldViolation[] {
  const allowed = allowedPatterns(ofClass);
  const message = `must be allowed for the class ${ofClass}: ${allowed.join(', ')}`;
  return events.flatMap((pattern, index) =>
    allowed.includes(pattern) ? [] : [{ path: `${place}.events.${index}`, message }],
  );
}

/** A file has no values of headers, and those that are stored never reach another host. */
function headerViolations({ url }: ConfiguredWebhook, found: Subscription, place: string): FieldViolation[] {
  if (found.headerNames.length === 0 || isSameHost(url, found.url)) return [];
  const message =
    `must keep the host of ${found.id}, whose custom headers (${found.headerNames.join(', ')}) are for it; ` +
    `change it with "partnerctl subscriptions update ${found.id} --url … --headers-file …"`;
  return [{ path: `${place}.url`, message }];
}

function changeOf(wanted: ConfiguredWebhook, found: Subscription): WebhookChange {
  const { url, events, description, schemaVersion, deliveriesPerSecond, fields, ordered } = wanted;
  const differs = <T>(value: T | undefined, existing: T) =>
    value !== undefined && !isDeepStrictEqual(value, existing);
  return {
    ...(normalized(url) !== found.url && { url }),
    ...(asSet(events) !== asSet(found.events) && { events }),
    ...(differs(description, found.description) && { description }),
    ...(differs(schemaVersion, found.schemaVersion) && { schemaVersion }),
    ...(differs(deliveriesPerSecond, found.deliveriesPerSecond) && { deliveriesPerSecond }),
    ...(differs(fields && normalizedFilter(fields), found.fields) && { fields }),
    ...(differs(ordered, found.ordered) && { ordered }),
  };
}

function asSet(events: readonly string[]): string {
  return [...new Set(events)].sort().join();
}

function normalized(text: string): string {
  return sentUrl(text)?.text ?? text;
}

import { companyClass, type CompanyClassName } from '../../values/company-class.js';

interface CatalogueEntry {
  /** When the event occurs, in the specification's words. */
  readonly meaning: string;
  /** Company classes that may subscribe. */
  readonly classes: readonly CompanyClassName[];
}

const sales = (meaning: string): CatalogueEntry => ({ meaning, classes: ['SALES'] });

const install = (meaning: string): CatalogueEntry => ({ meaning, classes: ['INSTALLER'] });

const journal = (meaning: string): CatalogueEntry => ({ meaning, classes: ['ACCOUNTING'] });

const notification = (meaning: string) => ({ meaning, classes: companyClass.options }) as const;

/** Every event that a subscription can name (spec: Event catalogue), with the classes that may receive it. */
export const EVENT_CATALOGUE = {
  'quote.sent': sales('a quote was sent to the customer'),
  'quote.viewed': sales('the customer opened the quote link'),
  'quote.accepted': sales('the customer accepted an option'),
  'project.stage_changed': sales('any pipeline stage change'),
  'appointment.booked': sales('an appointment was created or moved'),
  'deposit.paid': sales('customer deposit settled'),
  'deposit.refunded': sales('customer deposit reversed'),
  'invoice.issued': sales('an invoice was issued'),
  'rebate.status_changed': sales('a rebate or incentive application changed state'),
  'project.completed': sales('project closed out'),
  'install.job_assigned': install('a job was assigned to your company'),
  'install.job_unassigned': install('a job was removed from your company'),
  'install.job_cancelled': install('the job was cancelled by the company'),
  'install.schedule_changed': install('scheduled start or end changed, by either side'),
  'install.readiness_changed': install('ready flag or blocker codes changed'),
  'install.document_available': install(
    'a scope, permit, manual, warranty or completion document can be fetched',
  ),
  'install.status_changed': install('job status moved'),
  'install.completion_received': install('a completion report was accepted'),
  'install.scope_acknowledgement_required': install(
    'the scope changed; acknowledgement of the new scope version is needed before work continues',
  ),
  'install.test': {
    meaning: 'on-demand test delivery, safe to ignore in production',
    classes: companyClass.options,
  },
  'journal.deposit_recorded': journal('a deposit was recorded'),
  'journal.invoice_recorded': journal('an invoice was recorded'),
  'journal.payout_recorded': journal('a payout was recorded'),
  'journal.adjustment_recorded': journal('an adjustment was recorded'),
  'webhook.endpoint_failing': notification(
    'five attempts in a row to another webhook of your company failed',
  ),
  'webhook.endpoint_recovered': notification('a failing webhook of your company accepts deliveries again'),
  'webhook.deliveries_dead_lettered': notification(
    'deliveries to another webhook of your company were dead-lettered; one event counts those of up to an hour',
  ),
  'webhook.secret_expiring': notification('the previous signing secret of another webhook is about to end'),
  'webhook.certificate_expiring': notification(
    'the TLS certificate of another webhook is about to expire: 14 and 3 days before',
  ),
  'api_key.expiring': notification('an API key is about to end: 7 days and 1 day before'),
} as const satisfies Record<string, CatalogueEntry>;

export type EventName = keyof typeof EVENT_CATALOGUE;

/** Returns whether a text names an event of the catalogue. */
export function isEventName(name: string): name is EventName {
  return Object.hasOwn(EVENT_CATALOGUE, name);
}

/** An event that notifies owners of the state of their webhooks and API keys. */
export type NotificationName = EventName & `${'webhook' | 'api_key'}.${string}`;

/** Returns whether an event of the catalogue is a notification. */
export function isNotification(event: EventName): event is NotificationName {
  return event.startsWith('webhook.') || event.startsWith('api_key.');
}

/** Every notification of the catalogue. */
export const NOTIFICATIONS: readonly NotificationName[] = Object.keys(EVENT_CATALOGUE)
  .filter(isEventName)
  .filter(isNotification);

/** Returns the group of an event: the part before its dot. */
export function eventGroup(event: EventName): string {
  return event.slice(0, event.indexOf('.'));
}

/**
 * Returns the events of the catalogue that a pattern matches: an event's own name, or `group.*`. Empty if it matches
 * none.
 */
export function eventsNamedBy(pattern: string): readonly EventName[] {
  return Object.keys(EVENT_CATALOGUE)
    .filter(isEventName)
    .filter((event) => pattern === event || pattern === `${eventGroup(event)}.*`);
}

/**
 * Returns the events that a subscription's pattern matches and that the company's class may receive. A pattern is an
 * event's own name, or `group.*`. Empty if there are none.
 */
export function eventsMatching(pattern: string, companyClass: CompanyClassName): readonly EventName[] {
  return eventsNamedBy(pattern).filter((event) => {
    const classes: readonly CompanyClassName[] = EVENT_CATALOGUE[event].classes;
    return classes.includes(companyClass);
  });
}

/**
 * Returns what a subscription of a company's class can name: the names of its events, and `group.*` of each group with at least one.
 *
 * `install.test` is allowed for any class, but no group includes it: it is only sent on demand.
 */
export function allowedPatterns(companyClass: CompanyClassName): readonly string[] {
  const names = Object.keys(EVENT_CATALOGUE)
    .filter(isEventName)
    .filter((event) => eventsMatching(event, companyClass).length > 0);
  const groups = names.filter((event) => event !== 'install.test').map((event) => `${eventGroup(event)}.*`);
  return [...names, ...new Set(groups)];
}

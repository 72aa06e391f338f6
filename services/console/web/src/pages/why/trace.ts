import type { DeliveryState, Output } from '../../api/hooks.js';
import { formatCountOf } from '../../format.js';
import type { WEBHOOK_TABS } from '../../paths.js';
import type { Tone } from '../../tone.js';

/** The outcome of an event for a webhook. */
export type Traced = Output<'getEvent'>['subscriptions'][number];

/** What the order of outcomes depends on. */
interface Outcome {
  readonly verdict: Traced['verdict'];
  readonly deliveries: readonly { readonly delivery: { readonly state: DeliveryState } }[];
}

interface Reason {
  readonly why: string;
  /** What the owner can do, at a tab of the webhook. */
  readonly action?: string;
  readonly tab?: (typeof WEBHOOK_TABS)[number];
}

const NOT_SENT: Readonly<Record<string, Reason>> = {
  queued: { why: 'No longer stored' },
  paused: { why: 'Paused at that time. ', action: 'Activate' },
  not_subscribed: { why: 'Not subscribed to this event. ', action: 'Add it', tab: 'settings' },
  schema_version: { why: 'Subscribed to another version. ', action: 'Change it', tab: 'settings' },
  fields: { why: 'None of your fields changed. ', action: 'Change them', tab: 'settings' },
  class: { why: 'Not available to your company' },
  created_later: { why: 'Created later' },
  deleted: { why: 'Deleted before' },
  no_longer_kept: { why: 'No longer stored' },
} satisfies Readonly<Record<Traced['verdict'], Reason>>;

/** Why an event was not sent to a webhook; a newer version of the service can give reasons that this page does not know. */
export function notSent(verdict: Traced['verdict']): Reason {
  return NOT_SENT[verdict] ?? { why: 'Not sent' };
}

/** From what needs attention to what is fine; what was not sent comes before all of them. */
const ORDER: readonly DeliveryState[] = [
  'dead_lettered',
  'cancelled',
  'retry_scheduled',
  'held',
  'pending',
  'delivered',
];

/** Returns a row for each webhook, those that did not get the event first, and the webhooks that were deleted before it. */
export function orderOf<Each extends Outcome>(subscriptions: readonly Each[]) {
  const isGone = ({ verdict, deliveries }: Outcome) => verdict === 'deleted' && deliveries.length === 0;
  const rank = ({ deliveries: [newest] }: Outcome) =>
    newest === undefined ? -1 : ORDER.indexOf(newest.delivery.state);
  return {
    rows: subscriptions.filter((each) => !isGone(each)).sort((one, other) => rank(one) - rank(other)),
    gone: subscriptions.filter(isGone),
  };
}

/** Says how many webhooks an event reached, and what became of the others: `Reached 5 of 9 webhooks. 3 were not sent, 1 waits.` */
export function reachedText(rows: readonly Outcome[]): string {
  const states = rows.map(({ deliveries: [newest] }) => newest?.delivery.state);
  const count = (...of: readonly (DeliveryState | undefined)[]) =>
    states.filter((state) => of.includes(state)).length;
  const parts = [
    [count(undefined), 'not sent'],
    [count('dead_lettered', 'cancelled'), 'given up'],
    [count('pending', 'retry_scheduled', 'held'), 'waiting'],
  ] as const;
  const others = parts.flatMap(([number, what]) => (number === 0 ? [] : [`${number} ${what}`])).join(', ');
  const reached = `Reached ${count('delivered')} of ${formatCountOf(rows.length, 'webhook', 'webhooks')}`;
  return `${reached}${others === '' ? '' : `: ${others}`}.`;
}

const TONES: Readonly<Record<DeliveryState, Tone>> = {
  dead_lettered: 'bad',
  retry_scheduled: 'warn',
  held: 'warn',
  pending: 'info',
  cancelled: 'quiet',
  delivered: 'good',
};

/** Returns the tone of the worst state; quiet without a delivery. */
export function worstOf(states: readonly DeliveryState[]): Tone {
  const worst = ORDER.find((state) => states.includes(state));
  return worst === undefined ? 'quiet' : TONES[worst];
}

/** Writes the codes of a summary as words: `EN_ROUTE → ON_SITE` becomes `En route → On site`. */
export function summaryText(summary: string): string {
  return summary.replaceAll(/\b[A-Z]{2,}_[A-Z_]+\b|\b[A-Z]{4,}\b/g, (code) => {
    const words = code.toLowerCase().replaceAll('_', ' ');
    return words.charAt(0).toUpperCase() + words.slice(1);
  });
}

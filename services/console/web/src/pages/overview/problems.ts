import type { ApiKey, AttemptCounts, Webhook } from '../../api/hooks.js';
import { formatCountOf, formatPast, formatRelative } from '../../format.js';
import { conditionText, webhookName } from '../../webhook-facts.js';
import { PATHS } from '../../paths.js';
import type { Tone } from '../../tone.js';

/** A problem for the owner in one line, with the one thing to do about it. */
export interface Problem {
  /** What problems like it are called in a count, e.g. `failing`. */
  readonly kind: string;
  readonly tone: Extract<Tone, 'bad' | 'warn' | 'quiet'>;
  /** What has it, and its page. */
  readonly name: string;
  readonly to: string;
  readonly text: string;
  readonly act:
    | { readonly label: string; readonly to: string }
    | { readonly does: 'retry' | 'activate'; readonly webhook: Webhook };
}

const URGENCY: Readonly<Record<Problem['tone'], number>> = { bad: 0, warn: 1, quiet: 2 };

/** Returns all problems, most urgent first. A webhook that is not tested yet is none. */
export function problemsOf(facts: {
  readonly webhooks: readonly Webhook[];
  /** Deliveries of the last 24 hours by webhook; undefined if they could not be loaded. */
  readonly deliveriesOf: (id: string) => Pick<AttemptCounts['deliveries'], 'deadLettered'> | undefined;
  readonly keys: readonly ApiKey[];
  readonly now: Date;
}): readonly Problem[] {
  const { webhooks, deliveriesOf, keys, now } = facts;
  return [
    ...webhooks.flatMap(
      (each) => problemOfWebhook(each, deliveriesOf(each.id)?.deadLettered ?? 0, now) ?? [],
    ),
    ...keys.flatMap((key) => problemOfKey(key, now) ?? []),
  ].sort((one, other) => URGENCY[one.tone] - URGENCY[other.tone]);
}

/** Counts problems by kind, and the untested webhooks, e.g. `2 failing, 9 not tested yet`. */
export function countKinds(problems: readonly Problem[], untested: number): string {
  const kinds = [...problems.map(({ kind }) => kind), ...Array<string>(untested).fill('not tested yet')];
  const count = (kind: string) => `${kinds.filter((each) => each === kind).length} ${kind}`;
  return [...new Set(kinds)].map(count).join(', ');
}

/** The most urgent problem of a webhook. */
function problemOfWebhook(webhook: Webhook, givenUp: number, now: Date): Problem | undefined {
  const { id, condition, pendingSecretVersion } = webhook;
  const base = { name: webhookName(webhook), to: PATHS.webhook(id), text: conditionText(webhook, now) ?? '' };
  const link = (label: string, to: string) => ({ act: { label, to } });
  const { state, waiting = 0, missed } = condition ?? {};
  if (state === 'not_tested') return undefined;
  if (state === 'failing') {
    const list = PATHS.deliveries({ webhook: id, status: waiting > 0 ? 'retry_scheduled' : 'dead_lettered' });
    return { ...base, kind: state, tone: 'bad', ...link('See why', waiting + givenUp > 0 ? list : base.to) };
  }
  if (state === 'recovering') return { ...base, kind: state, tone: 'warn', act: { does: 'retry', webhook } };
  if (state === 'paused' && missed !== 0) {
    return { ...base, kind: state, tone: 'quiet', act: { does: 'activate', webhook } };
  }
  if (givenUp > 0) {
    const text = `${formatCountOf(givenUp, 'delivery', 'deliveries')} given up in the last 24 hours`;
    const see = link('See them', PATHS.deliveries({ webhook: id, status: 'dead_lettered' }));
    return { ...base, text, kind: 'with deliveries given up', tone: 'warn', ...see };
  }
  if (pendingSecretVersion === null) return undefined;
  const text = `Version ${pendingSecretVersion} of its secret is not active yet`;
  const finish = link('Finish rotation', PATHS.rotateSecret(id));
  return { ...base, text, kind: 'with a new secret', tone: 'quiet', ...finish };
}

function problemOfKey(key: ApiKey, now: Date): Problem | undefined {
  if (key.state !== 'expiring' || key.expiresAt === null) return undefined;
  const used =
    key.lastUsedAt === null ? 'never used' : `last used ${formatPast(new Date(key.lastUsedAt), now)}`;
  return {
    ...{ name: `API key …${key.lastFour}`, to: PATHS.apiKeys, kind: 'expiring', tone: 'warn' },
    text: `Expires ${formatRelative(new Date(key.expiresAt), now)}, ${used}`,
    act: { label: 'See API keys', to: PATHS.apiKeys },
  };
}

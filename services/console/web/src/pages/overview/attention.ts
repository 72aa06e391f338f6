import { healthOf } from '@partner/proto-contracts/resources/subscription/health-of';
import { WAITING_COUNTED, WEBHOOK_LIMITS } from '@partner/proto-contracts/api/limits';
import type { ApiKey, Webhook, WebhookTotals } from '../../api/hooks.js';
import { formatCountOf, formatPast, formatRelative } from '../../format.js';
import { isFailing, webhookName } from '../../webhook-facts.js';
import { PATHS } from '../../paths.js';
import type { Tone } from '../../tone.js';

/** A problem for the owner, with a link. */
export interface Attention {
  readonly key: string;
  readonly tone: Extract<Tone, 'bad' | 'warn' | 'info'>;
  readonly title: string;
  readonly text: string;
  readonly link: { readonly to: string; readonly label: string };
}

/** Data about one subscription. */
export interface WebhookFacts {
  readonly webhook: Webhook;
  /** Of the last 24 hours; undefined if they could not be loaded. */
  readonly statistics: Pick<WebhookTotals, 'totals' | 'retrying' | 'held'> | undefined;
}

const URGENCY: Readonly<Record<Attention['tone'], number>> = { bad: 0, warn: 1, info: 2 };

/** Returns all problems, most urgent first. */
export function attentionOf(facts: {
  readonly webhooks: readonly WebhookFacts[];
  readonly keys: readonly ApiKey[];
  readonly now: Date;
}): readonly Attention[] {
  return [
    ...facts.webhooks.flatMap(attentionOfWebhook),
    ...facts.keys.flatMap((key) => attentionOfKey(key, facts.now)),
  ].sort((one, other) => URGENCY[one.tone] - URGENCY[other.tone]);
}

function attentionOfWebhook({ webhook, statistics }: WebhookFacts): readonly Attention[] {
  const name = webhookName(webhook);
  const found: Attention[] = [];
  const add = (kind: string, attention: Omit<Attention, 'key'>) =>
    found.push({ key: `${webhook.id} ${kind}`, ...attention });
  const dead = statistics?.totals.deadLettered ?? 0;
  const { retrying, held } = statistics ?? { retrying: 0, held: 0 };
  const failedLink = {
    to: PATHS.deliveries({ webhook: webhook.id, status: dead === 0 ? 'retry_scheduled' : 'dead_lettered' }),
    label: 'See what failed',
  };

  const health = healthOf(webhook);
  if (health === 'degraded' || (health !== null && isFailing(webhook))) {
    const recent = isFailing(webhook)
      ? `At least ${WEBHOOK_LIMITS.failingAfter} attempts in a row failed.`
      : 'Recent attempts failed.';
    add('degraded', {
      tone: 'bad',
      title: `Deliveries to ${name} fail`,
      text:
        dead === 0
          ? `${recent} They are retried automatically.`
          : `${recent} ${formatCountOf(dead, 'delivery', 'deliveries')} dead-lettered in the last 24 hours.`,
      link: failedLink,
    });
  } else if (dead > 0) {
    add('dead-lettered', {
      tone: 'warn',
      title: `${formatCountOf(dead, 'delivery', 'deliveries')} to ${name} dead-lettered in the last 24 hours`,
      text: 'Replay the ones that you still need.',
      link: failedLink,
    });
  }
  if (retrying > 0) {
    add('retrying', {
      tone: 'warn',
      title: `${countText(retrying)} to ${name} waiting for another attempt`,
      text: 'Your server did not accept them. They are retried automatically.',
      link: {
        to: PATHS.deliveries({ webhook: webhook.id, status: 'retry_scheduled' }),
        label: 'See failures',
      },
    });
  }
  if (webhook.state === 'paused' && held > 0) {
    add('held', {
      tone: 'warn',
      title: `${name} is paused and holds ${countText(held)}`,
      text: 'They are sent when you activate it.',
      link: { to: PATHS.webhook(webhook.id), label: 'View webhook' },
    });
  }
  if (!webhook.verified) {
    add('unverified', {
      tone: webhook.state === 'active' ? 'warn' : 'info',
      title: `${name} is not verified`,
      text: 'Not tested yet: send a test to this URL.',
      link: { to: PATHS.webhook(webhook.id), label: 'Send a test' },
    });
  }
  if (webhook.pendingSecretVersion !== null) {
    add('pending-secret', {
      tone: 'info',
      title: `${name} has a pending secret`,
      text: `Deliveries are signed with version ${webhook.secretVersion} until version ${webhook.pendingSecretVersion} is activated.`,
      link: { to: PATHS.rotateSecret(webhook.id), label: 'Finish rotation' },
    });
  }
  return found;
}

function attentionOfKey(key: ApiKey, now: Date): readonly Attention[] {
  if (key.state !== 'expiring' || key.expiresAt === null) return [];
  const used =
    key.lastUsedAt === null
      ? 'It was never used.'
      : `It was used ${formatPast(new Date(key.lastUsedAt), now)}.`;
  return [
    {
      key: key.id,
      tone: 'warn',
      title: `API key …${key.lastFour} ends ${formatRelative(new Date(key.expiresAt), now)}`,
      text: `${key.replacedBy === null ? '' : 'It was rotated. '}${used}`,
      link: { to: PATHS.apiKeys, label: 'Go to the API keys' },
    },
  ];
}

function countText(count: number): string {
  const text = formatCountOf(count, 'delivery', 'deliveries');
  return count < WAITING_COUNTED ? text : `${text} or more`;
}

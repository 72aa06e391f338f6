import { Box, Text } from '@mantine/core';
import {
  IconAlertTriangle,
  IconBan,
  IconCheck,
  IconClock,
  IconHeartbeat,
  IconHourglass,
  IconMailX,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
  IconShieldCheck,
  IconShieldQuestion,
} from '@tabler/icons-react';
import { healthOf } from '@partner/proto-contracts/resources/subscription/health-of';
import type { ComponentType, ReactNode } from 'react';
import type { ApiKey, Attempt, DeliveryState, Webhook } from '../api/operations.js';
import { isFailing } from '../is-failing.js';
import type { Tone } from '../tones.js';
import classes from './badges.module.css';
import { PATHS } from '../paths.js';
import { webhookName } from '../webhook-name.js';
import { TextLink } from './page.js';

type Icon = ComponentType<{ readonly size?: number; readonly 'aria-hidden'?: boolean }>;

/** Badge with an icon and a short text in the colour of its tone. */
export function ToneBadge(props: { readonly tone: Tone; readonly icon: Icon; readonly children: ReactNode }) {
  const { tone, icon: BadgeIcon, children } = props;
  return (
    <Box
      component="span"
      className={classes['badge']}
      __vars={{
        '--badge-text': `var(--tone-${tone}-text)`,
        '--badge-background': `var(--tone-${tone}-background)`,
        '--badge-border': `var(--tone-${tone}-border)`,
      }}
    >
      <BadgeIcon size={15} aria-hidden />
      {children}
    </Box>
  );
}

interface Look {
  readonly tone: Tone;
  readonly icon: Icon;
  readonly label: string;
}

function LookBadge({ look }: { readonly look: Look }) {
  return (
    <ToneBadge tone={look.tone} icon={look.icon}>
      {look.label}
    </ToneBadge>
  );
}

const STATES: Readonly<Record<Webhook['state'], Look>> = {
  active: { tone: 'good', icon: IconPlayerPlay, label: 'Active' },
  paused: { tone: 'quiet', icon: IconPlayerPause, label: 'Paused' },
};

/** Whether a subscription is active or paused. */
export function StateBadge({ state }: { readonly state: Webhook['state'] }) {
  return <LookBadge look={STATES[state]} />;
}

const HEALTHS: Readonly<Record<Webhook['health'], Look>> = {
  healthy: { tone: 'good', icon: IconHeartbeat, label: 'Healthy' },
  degraded: { tone: 'bad', icon: IconAlertTriangle, label: 'Degraded' },
};

const FAILING: Look = { tone: 'bad', icon: IconAlertTriangle, label: 'Failing' };

/** Whether deliveries to a subscription succeed. A paused or untested one has no health. */
export function HealthBadge({
  webhook,
}: {
  readonly webhook: Pick<Webhook, 'health' | 'state' | 'verified' | 'failuresInRow'>;
}) {
  const health = healthOf(webhook);
  if (health === null) return null;
  return <LookBadge look={isFailing(webhook) ? FAILING : HEALTHS[health]} />;
}

const VERIFIED: Look = { tone: 'good', icon: IconShieldCheck, label: 'Verified' };
const UNVERIFIED: Look = { tone: 'warn', icon: IconShieldQuestion, label: 'Not verified' };

/** Whether a test delivery to the current URL got a 2xx. */
export function VerifiedBadge({ verified }: { readonly verified: boolean }) {
  return <LookBadge look={verified ? VERIFIED : UNVERIFIED} />;
}

const DELIVERY_STATES: Readonly<Record<DeliveryState, Look>> = {
  pending: { tone: 'info', icon: IconClock, label: 'Pending' },
  retry_scheduled: { tone: 'warn', icon: IconRefresh, label: 'Retry scheduled' },
  delivered: { tone: 'good', icon: IconCheck, label: 'Delivered' },
  dead_lettered: { tone: 'bad', icon: IconMailX, label: 'Dead-lettered' },
  held: { tone: 'quiet', icon: IconPlayerPause, label: 'Held' },
  cancelled: { tone: 'quiet', icon: IconBan, label: 'Cancelled' },
};

/** State of a delivery. */
export function DeliveryStateBadge({ state }: { readonly state: DeliveryState }) {
  return <LookBadge look={DELIVERY_STATES[state]} />;
}

/** The name of a delivery's state, e.g. for a filter. */
export function deliveryStateLabel(state: DeliveryState): string {
  return DELIVERY_STATES[state].label;
}

const OUTCOMES: Readonly<Record<Attempt['outcome'], Look>> = {
  delivered: { tone: 'good', icon: IconCheck, label: 'Delivered' },
  rejected: { tone: 'bad', icon: IconBan, label: 'Rejected' },
  timed_out: { tone: 'bad', icon: IconHourglass, label: 'Timed out' },
  tls_failed: { tone: 'bad', icon: IconShieldQuestion, label: 'TLS failed' },
  connection_failed: { tone: 'bad', icon: IconMailX, label: 'Connection failed' },
  endpoint_refused: { tone: 'bad', icon: IconBan, label: 'Address refused' },
};

/** The name of an attempt's outcome. */
export function outcomeLabel(outcome: Attempt['outcome']): string {
  return OUTCOMES[outcome].label;
}

/** Outcome of an attempt. */
export function OutcomeBadge({ outcome }: { readonly outcome: Attempt['outcome'] }) {
  return <LookBadge look={OUTCOMES[outcome]} />;
}

const KEY_STATES: Readonly<Record<ApiKey['state'], Look>> = {
  active: { tone: 'good', icon: IconCheck, label: 'Active' },
  expiring: { tone: 'warn', icon: IconHourglass, label: 'Expiring' },
  expired: { tone: 'quiet', icon: IconClock, label: 'Expired' },
  revoked: { tone: 'quiet', icon: IconBan, label: 'Revoked' },
};

/** The state of an API key. */
export function KeyStateBadge({ state }: { readonly state: ApiKey['state'] }) {
  return <LookBadge look={KEY_STATES[state]} />;
}

/** Link to a webhook by its name, with its URL if the name differs. */
export function WebhookLink({ webhook }: { readonly webhook: Webhook }) {
  return (
    <div>
      <TextLink to={PATHS.webhook(webhook.id)} fw={600}>
        {webhookName(webhook)}
      </TextLink>
      {webhook.description !== '' && (
        <Text size="xs" c="dimmed">
          {webhook.url}
        </Text>
      )}
    </div>
  );
}

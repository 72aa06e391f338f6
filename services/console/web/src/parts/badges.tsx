import { Box, Code, Group, Text } from '@mantine/core';
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
import type { ComponentType } from 'react';
import type { ApiKey, Attempt, DeliveryState, Webhook } from '../api/hooks.js';
import { isFailing, webhookName } from '../webhook-facts.js';
import type { Tone } from '../palette.js';
import classes from './badges.module.css';
import { PATHS } from '../paths.js';
import { TextLink } from './page.js';

/** A state in words, with the icon and the tone of its badge. */
export interface Look {
  readonly tone: Tone;
  readonly icon: ComponentType<{ readonly size?: number; readonly 'aria-hidden'?: boolean }>;
  readonly label: string;
}

/** Badge with an icon and a short text in the colour of its tone. */
export function Badge({ tone, icon: BadgeIcon, label }: Look) {
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
      {label}
    </Box>
  );
}

type Looks<State extends string> = Readonly<Record<State, Look>>;

const WEBHOOK_LOOKS: Looks<Webhook['state']> = {
  active: { tone: 'good', icon: IconPlayerPlay, label: 'Active' },
  paused: { tone: 'quiet', icon: IconPlayerPause, label: 'Paused' },
};

const HEALTH_LOOKS: Looks<Webhook['health'] | 'failing'> = {
  healthy: { tone: 'good', icon: IconHeartbeat, label: 'Healthy' },
  degraded: { tone: 'bad', icon: IconAlertTriangle, label: 'Degraded' },
  failing: { tone: 'bad', icon: IconAlertTriangle, label: 'Failing' },
};

/** Whether a subscription is active, and whether deliveries to it succeed: a paused or untested one has no health. */
export function WebhookBadges({ webhook }: { readonly webhook: Webhook }) {
  const health = healthOf(webhook);
  return (
    <>
      <Badge {...WEBHOOK_LOOKS[webhook.state]} />
      {health !== null && <Badge {...HEALTH_LOOKS[isFailing(webhook) ? 'failing' : health]} />}
    </>
  );
}

/** Whether a test delivery to the current URL got a 2xx. */
export function VerifiedBadge({ verified }: { readonly verified: boolean }) {
  return verified ? (
    <Badge tone="good" icon={IconShieldCheck} label="Verified" />
  ) : (
    <Badge tone="warn" icon={IconShieldQuestion} label="Not verified" />
  );
}

/** States of deliveries. */
export const DELIVERY_LOOKS: Looks<DeliveryState> = {
  pending: { tone: 'info', icon: IconClock, label: 'Pending' },
  retry_scheduled: { tone: 'warn', icon: IconRefresh, label: 'Retry scheduled' },
  delivered: { tone: 'good', icon: IconCheck, label: 'Delivered' },
  dead_lettered: { tone: 'bad', icon: IconMailX, label: 'Dead-lettered' },
  held: { tone: 'quiet', icon: IconPlayerPause, label: 'Held' },
  cancelled: { tone: 'quiet', icon: IconBan, label: 'Cancelled' },
};

/** Outcomes of attempts. */
export const OUTCOME_LOOKS: Looks<Attempt['outcome']> = {
  delivered: { tone: 'good', icon: IconCheck, label: 'Delivered' },
  rejected: { tone: 'bad', icon: IconBan, label: 'Rejected' },
  timed_out: { tone: 'bad', icon: IconHourglass, label: 'Timed out' },
  tls_failed: { tone: 'bad', icon: IconShieldQuestion, label: 'TLS failed' },
  connection_failed: { tone: 'bad', icon: IconMailX, label: 'Connection failed' },
  endpoint_refused: { tone: 'bad', icon: IconBan, label: 'Address refused' },
};

/** States of API keys. */
export const KEY_LOOKS: Looks<ApiKey['state']> = {
  active: { tone: 'good', icon: IconCheck, label: 'Active' },
  expiring: { tone: 'warn', icon: IconHourglass, label: 'Expiring' },
  expired: { tone: 'quiet', icon: IconClock, label: 'Expired' },
  revoked: { tone: 'quiet', icon: IconBan, label: 'Revoked' },
};

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

/** The events of a subscription in one line. */
export function EventPatterns({ events }: { readonly events: readonly string[] }) {
  return (
    <Group gap={6} component="span">
      {events.map((event) => (
        <Code key={event} style={{ whiteSpace: 'nowrap' }}>
          {event}
        </Code>
      ))}
    </Group>
  );
}

import { z } from 'zod';
import { dateTimeOut } from '../../values/date-time.js';

/** Above this delay of webhooks to working servers, or this percentage of failing ones, the cause is probably ours. */
export const SERVICE_STATUS_LIMITS = { delayMs: 60_000, failingPercent: 50 } as const;

/** Webhooks that must be active before the percentage of failing ones says anything. */
export const SERVICE_STATUS_LEAST_WEBHOOKS = 10;

/** How long the status has a restore from a backup. */
export const RESTORE_SHOWN_DAYS = 30;

/** For how long, and how many at most, the status has times in which the service was degraded. */
export const INCIDENTS_SHOWN_DAYS = 30;
export const INCIDENTS_SHOWN = 20;

const incident = z
  .object({
    from: dateTimeOut.meta({
      description: 'When the oldest webhook was due that was late, or most webhooks began to fail.',
    }),
    until: dateTimeOut
      .nullable()
      .meta({ description: 'When it was seen last, to about a minute; null: it goes on.' }),
    cause: z.enum(['late', 'failing']).meta({
      description: '`late`: webhooks to working servers. `failing`: most webhooks of all companies.',
    }),
    manifests: z.array(z.string()).meta({
      description:
        'Where an API key reads the signed manifest of this time: each event that was queued to a webhook, and when it was accepted, from five minutes before; not retries of earlier events. Put the `x-svc-subscription-id` of a delivery for `{id}`.',
    }),
  })
  .meta({ id: 'ServiceIncident', description: 'A time in which the service was degraded.' });

/** Visible to everyone. */
export const serviceStatus = z
  .object({
    status: z.enum(['operational', 'degraded']).meta({
      description: `\`degraded\` while webhooks to working servers are more than ${SERVICE_STATUS_LIMITS.delayMs / 1_000} seconds late, or more than half of all active webhooks fail.`,
    }),
    webhookDelayMs: z.int().meta({
      description: 'How late the oldest webhook is that is due at a server that works, in milliseconds.',
    }),
    failingWebhooksPercent: z
      .int()
      .nullable()
      .meta({
        description: `How many of a hundred active webhooks have failed in their last five attempts, of all companies; null with fewer than ${SERVICE_STATUS_LEAST_WEBHOOKS}.`,
      }),
    restoredTo: dateTimeOut
      .nullable()
      .default(null)
      .meta({
        description: `The time to which the service was restored from a backup; null unless that was declared in the last ${RESTORE_SHOWN_DAYS} days. What was accepted between this time and the restore is lost, and cursors from then are \`cursor_invalid\`.`,
      }),
    incidents: z
      .array(incident)
      .max(INCIDENTS_SHOWN)
      .optional()
      .meta({
        description: `The times of the last ${INCIDENTS_SHOWN_DAYS} days in which the service was degraded, newest first.`,
      }),
    checkedAt: dateTimeOut.meta({ description: 'When it was measured, at most 4 seconds ago.' }),
  })
  .meta({ id: 'ServiceStatus', description: 'Whether the service works.' });

export type ServiceStatus = z.infer<typeof serviceStatus>;

import { WAITING_COUNTED, WEBHOOK_LIMITS } from '../../api/limits.js';
import { z } from 'zod';
import { parsedUrl } from '../../values/parsed-url.js';
import { CURRENT_SCHEMA_VERSION } from '../../api/versions.js';
import { isEventName } from '../event-catalogue/catalogue.js';
import { EVENT_PATTERNS, nearestEvent } from '../event-catalogue/nearest-event.js';
import { dateTimeOut } from '../../values/date-time.js';
import { CUSTOM_HEADER_LIMITS, headerChanges, headerValues } from './custom-headers.js';
import { fieldFilter } from './field-filter.js';

/**
 * The address of a subscription, checked by its text alone (spec: Subscription URL rules 1). The host is resolved
 * elsewhere, at creation and on every delivery.
 */
const endpointUrl = z
  .string()
  .min(1)
  .max(2048)
  .superRefine((text, context) => {
    const violation = endpointUrlViolation(text);
    if (violation !== undefined) context.addIssue({ code: 'custom', message: violation });
  })
  .meta({
    description:
      'Where deliveries are sent: `https://` on port 443, without a user name or password, and a host that has public' +
      ' addresses only. Path and query are sent byte for byte; characters beyond ASCII are percent-encoded, and the host is in' +
      ' lower case and ASCII, as the response shows.',
    override: { format: 'uri' },
  });

const OWN_MACHINE = /^(?:(?:.+\.)?localhost\.?|127\.\d+\.\d+\.\d+|\[::1\])$/;

function endpointUrlViolation(text: string): string | undefined {
  if (/[\p{Cc}\s]/u.test(text)) return 'must not contain spaces or control characters; write a space as %20';
  if (text.includes('\\')) return 'must not contain a backslash; write it as %5C';
  const url = parsedUrl(text);
  if (url?.protocol !== 'https:') return 'must be a URL that begins with https://';
  if (url.port !== '') return 'must use port 443';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (text.includes('#')) return 'must not contain a fragment (#…)';
  if (OWN_MACHINE.test(url.hostname)) {
    return 'must have a host that is reachable from the internet; to receive webhooks on your own machine, use `partner-client listen`';
  }
  return undefined;
}

/** Maximum version number in an RPC. */
const MAX_INT32 = 2 ** 31 - 1;

/** An event of the catalogue, or a group. The company's class decides which of them are allowed. */
const eventPattern = z
  .string()
  .refine((pattern) => EVENT_PATTERNS.includes(pattern), {
    error: ({ input }) =>
      `must be an event in the catalog, or a group such as install.*${nearestEvent(input)}`,
  })
  .meta({
    description: 'An event in the catalog such as `install.job_assigned`, or a group such as `install.*`.',
  });

const eventPatterns = z
  .array(eventPattern)
  .min(1)
  .max(50)
  .meta({ description: "Events that your company's class can receive, or groups of them." });

const ownDescription = z.string().max(200).meta({ description: 'For your own use.' });

const schemaVersion = z.int().min(1).max(CURRENT_SCHEMA_VERSION);

const ORDERED =
  'True: an event about a job or another resource is sent only after the one before it about the same resource was delivered or' +
  ' dead-lettered. It holds for the events, and replays of events, from then on.';

const ASYMMETRIC =
  'Whether each delivery also has a signature that anyone can verify without a secret: `v1a` in `webhook-signature`, with the public keys at `/.well-known/webhooks/{id}`.';

export const subscriptionIn = z
  .object({
    url: endpointUrl,
    events: eventPatterns,
    description: ownDescription.optional(),
    schemaVersion: schemaVersion
      .optional()
      .meta({ description: 'The schema version of the payloads; by default the current one.' }),
    fields: fieldFilter
      .nullable()
      .optional()
      .meta({
        description:
          'For events or groups, fields of their resource: such an event is sent only if one of them changed, as its `changed` says. Without it, or for' +
          ' other events, every event is sent.',
      }),
    ordered: z
      .boolean()
      .optional()
      .meta({ description: `${ORDERED} Default: false.` }),
    asymmetricSignature: z
      .boolean()
      .optional()
      .meta({ description: `${ASYMMETRIC} Default: false.` }),
  })
  .meta({ id: 'WebhookSubscriptionIn', description: 'A webhook subscription as you create it.' });

export const subscriptionChange = z
  .object({
    url: endpointUrl.optional(),
    events: eventPatterns.optional(),
    description: ownDescription.optional(),
    schemaVersion: schemaVersion
      .optional()
      .meta({ description: 'The schema version of the payloads, to opt in to another one.' }),
    headers: headerChanges.optional().meta({
      description:
        `Custom headers to set, or to remove with the value null; others stay. A subscription has at most ${CUSTOM_HEADER_LIMITS.headers}, with at most` +
        ` ${CUSTOM_HEADER_LIMITS.bytes} characters of names and values.`,
    }),
    deliveriesPerSecond: z.int().min(1).max(WEBHOOK_LIMITS.deliveriesPerSecond).nullable().optional().meta({
      description: 'The rate of deliveries that your server wants at most; null for no rate.',
    }),
    fields: fieldFilter.nullable().optional().meta({
      description:
        'For events or groups, the fields of which one must have changed; it replaces all. Null: every event is sent.',
    }),
    ordered: z.boolean().optional().meta({ description: ORDERED }),
    asymmetricSignature: z.boolean().optional().meta({ description: ASYMMETRIC }),
  })
  .refine(
    (change) => Object.values(change).some((value) => value !== undefined),
    'must have at least one of url, events, description, schemaVersion, headers, deliveriesPerSecond, fields, ordered and asymmetricSignature',
  )
  .meta({
    id: 'WebhookSubscriptionChange',
    description: 'Fields of a webhook subscription to change, at least one; omitted fields stay.',
  });

export const activationIn = z
  .object({
    backfill: z.boolean().optional().meta({
      description:
        'Whether the events since the subscription was paused, or created, are queued as well. Without it they are not.',
    }),
  })
  .meta({ id: 'WebhookActivationIn', description: 'How to activate a webhook subscription.' })
  .optional();

const testDelivery = z
  .object({
    url: endpointUrl.optional().meta({
      description:
        'Another URL to test, before a change of `url` to it. It must not be the current one. Without it, the test goes to the URL of the subscription.',
    }),
    headers: headerValues.optional().meta({
      description:
        'Only with `url`: the custom headers of the test. Those of the subscription are not sent to another URL.',
    }),
    event: z
      .string()
      .refine(isEventName, {
        error: ({ input }) =>
          `must be an event in the catalog, such as install.job_assigned${nearestEvent(input, EVENT_PATTERNS.filter(isEventName))}`,
      })
      .optional()
      .meta({
        description:
          "The event to send, with the catalogue's example as its payload: one that your company's class may have. Without it, `install.test`.",
      }),
    secretVersion: z.int().min(1).max(MAX_INT32).optional().meta({
      description:
        'The version of the secret to sign with: the current or the pending one. Without it the test is signed like any other delivery.',
    }),
    wrongSignature: z.boolean().optional().meta({
      description:
        'True: the test names that version, but a random secret signs it. Your server must refuse it. It is sent once, and counts in neither health nor statistics.',
    }),
  })
  .superRefine(({ url, headers }, context) => {
    if (headers === undefined || url !== undefined) return;
    const message = 'is only for a test of another url; the URL of the subscription gets the stored headers';
    context.addIssue({ code: 'custom', path: ['headers'], message });
  })
  .meta({ id: 'WebhookTestIn', description: 'How to test a webhook subscription.' });

export const testDeliveryIn = z
  .preprocess<unknown, typeof testDelivery, z.input<typeof testDelivery>>((body: unknown, context) => {
    // The name of the version in a rotation and an activation. Ignored, the test would be signed with the wrong secret.
    if (
      typeof body === 'object' &&
      body !== null &&
      'pendingSecretVersion' in body &&
      !('secretVersion' in body)
    )
      context.addIssue({
        code: 'custom',
        path: ['secretVersion'],
        message: 'is the name of the version here, not pendingSecretVersion',
      });
    return body;
  }, testDelivery)
  .optional();

const REQUIRED_PENDING =
  'is required: the version that the rotation returned under this name (a test names it secretVersion)';

export const secretActivationIn = z
  .object({
    pendingSecretVersion: z
      .int({ error: ({ input }) => (input === undefined ? REQUIRED_PENDING : undefined) })
      .min(1)
      .max(MAX_INT32)
      .meta({ description: 'The version of the pending secret, as returned by `rotateWebhookSecret`.' }),
  })
  .meta({ id: 'WebhookSecretActivationIn', description: 'The secret that signs from now on.' });

const webhookCondition = z
  .object({
    state: z.enum(['not_tested', 'active', 'failing', 'recovering', 'paused']).meta({
      description: `\`not_tested\`: the current URL has accepted no test. \`failing\`: the last ${WEBHOOK_LIMITS.failingAfter} attempts failed, and not only tests. \`recovering\`: no attempt fails any more, but deliveries still wait for a retry.`,
    }),
    since: dateTimeOut.nullable().meta({
      description: 'Since when it is paused, fails or accepts deliveries again; null if that is not known.',
    }),
    attempts: z.int().nullable().meta({ description: 'Failed attempts since then, if it is failing.' }),
    waiting: z.int().meta({
      description: `Deliveries that wait for a retry, tests not included, counted up to ${WAITING_COUNTED}.`,
    }),
    accepted: z
      .int()
      .nullable()
      .meta({
        description: `Deliveries accepted in a row since then, if it is recovering, among the ${WAITING_COUNTED} that were created last.`,
      }),
    missed: z
      .int()
      .nullable()
      .meta({ description: 'Events missed during the pause so far, if it is paused.' }),
    missedAtLeast: z
      .boolean()
      .meta({ description: 'True: it can have missed more; only the newest events are counted.' }),
  })
  .meta({ id: 'WebhookCondition', description: 'The current condition of a webhook.' });

export type WebhookCondition = z.infer<typeof webhookCondition>;

/** Visible to the owners of the company. To every other company it is 404. A secret is shown once, at its creation. */
export const subscription = z
  .object({
    id: z.string().meta({ description: 'The id of the subscription.' }),
    url: z.string().meta({
      description:
        'Where deliveries are sent. In lists, and for viewers, its host and the beginning of its path, then `…`: the rest can be a secret.',
    }),
    description: z.string().meta({ description: 'For your own use.' }),
    events: z
      .array(z.string())
      .meta({ description: 'Events in the catalog, and groups such as `install.*`.' }),
    schemaVersion: z.int().meta({ description: 'The schema version of the payloads.' }),
    state: z.enum(['paused', 'active']).meta({ description: '`paused`: new events queue no deliveries.' }),
    health: z.enum(['healthy', 'degraded']).meta({
      description:
        `\`degraded\` if in the last ${WEBHOOK_LIMITS.healthMinutes} minutes at least ${WEBHOOK_LIMITS.healthFailures} attempts failed, and more than were delivered; and` +
        ' from a dead-lettered delivery until the next delivered one. Without meaning while the subscription is paused or not verified.',
    }),
    secretVersion: z
      .int()
      .meta({ description: 'The version of the secret that new deliveries are signed with.' }),
    pendingSecretVersion: z.int().nullable().meta({
      description: 'The version of the pending secret; null without one.',
    }),
    secretShown: z.boolean().meta({
      description:
        'False if the service has shown the current secret to no one, as for a webhook that operators create from a file. Rotate it: that replaces it immediately.',
    }),
    verified: z
      .boolean()
      .meta({ description: 'Whether the current URL has accepted a test delivery with 2xx.' }),
    headerNames: z.array(z.string()).meta({
      description: 'The names of the custom headers of each delivery. Their values are never shown.',
    }),
    deliveriesPerSecond: z.int().nullable().meta({
      description: 'Deliveries start at most at this rate, tests and retries included; null without a rate.',
    }),
    fields: z.record(z.string(), z.array(z.string())).nullable().meta({
      description:
        'For events or groups, the fields of which one must have changed for the event to be sent; null: every event is sent.',
    }),
    ordered: z.boolean().meta({ description: ORDERED }),
    asymmetricSignature: z.boolean().meta({ description: ASYMMETRIC }),
    failuresInRow: z.int().meta({
      description: `Failed attempts since the last delivered one, counted up to ${WEBHOOK_LIMITS.failingAfter}. With ${WEBHOOK_LIMITS.failingAfter} the endpoint is failing: all failing endpoints together have at most half of all slots.`,
    }),
    nextAttemptAt: dateTimeOut.nullable().meta({
      description:
        'When the next waiting delivery is attempted. In the past: it is due, but waits for a slot or for the rate. Null if none waits; deliveries that are in flight or held do not.',
    }),
    createdAt: dateTimeOut,
    updatedAt: dateTimeOut,
    condition: webhookCondition
      .optional()
      .meta({ description: 'The current condition of the webhook. Responses to changes omit it.' }),
  })
  .meta({ id: 'WebhookSubscription', description: 'A webhook subscription as its owner sees it.' });

export type Subscription = z.infer<typeof subscription>;

export const subscriptionCreated = z
  .object({
    subscription,
    secret: z.string().meta({
      description: 'The signing secret, `whsec_` followed by base64. Store it: it cannot be shown again.',
    }),
  })
  .meta({ id: 'WebhookSubscriptionCreated', description: 'A new subscription and its secret.' });

/** What the console reads of such a response: it is of any release of job-state. */
export const createdWebhookId = z.looseObject({ subscription: z.looseObject({ id: z.string() }) });

export type SubscriptionCreated = z.infer<typeof subscriptionCreated>;

/** Response to an activation: the subscription, and the requested back-fill. */
export const subscriptionActivated = subscription
  .extend({
    backfillId: z.string().nullable().meta({
      description:
        'The back-fill that was started or, for a subscription that was already active, is still running; null if none was requested or none runs.',
    }),
  })
  .meta({ id: 'WebhookSubscriptionActivated', description: 'An active subscription.' });

export type SubscriptionActivated = z.infer<typeof subscriptionActivated>;

export const secretRotated = z
  .object({
    subscription,
    pendingSecretVersion: z.int().meta({
      description:
        'The version of the new secret, in the `x-svc-secret-version` of deliveries that it signs. It is pending, unless the current secret was never shown.',
    }),
    secret: z.string().meta({
      description: 'The new secret, `whsec_` followed by base64. Store it: it cannot be shown again.',
    }),
  })
  .meta({ id: 'WebhookSecretRotated', description: 'A pending secret with its subscription.' });

export type SecretRotated = z.infer<typeof secretRotated>;

export const subscriptionList = z
  .object({ subscriptions: z.array(subscription).meta({ description: 'At most 50.' }) })
  .meta({ id: 'WebhookSubscriptions', description: 'All subscriptions of the company, oldest first.' });

export type SubscriptionList = z.infer<typeof subscriptionList>;

export const SUBSCRIPTION_EXAMPLE = {
  id: 'whk_01k3h5d8vqf2mw7x0r4tn6ysbe',
  url: 'https://hooks.sunny.example/partner',
  description: 'Dispatch board',
  events: ['install.*'],
  schemaVersion: CURRENT_SCHEMA_VERSION,
  state: 'active',
  health: 'healthy',
  secretVersion: 1,
  pendingSecretVersion: null,
  secretShown: true,
  verified: true,
  headerNames: ['authorization'],
  deliveriesPerSecond: null,
  fields: null,
  ordered: false,
  asymmetricSignature: false,
  failuresInRow: 0,
  nextAttemptAt: null,
  createdAt: '2026-08-26T14:03:00.000Z',
  updatedAt: '2026-08-26T14:09:21.730Z',
} as const satisfies z.infer<typeof subscription>;

export const SUBSCRIPTION_ID = {
  id: {
    description: 'The `id` of a subscription of your company. Any other is 404.',
    example: SUBSCRIPTION_EXAMPLE.id,
  },
};

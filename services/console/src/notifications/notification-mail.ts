import { EVENT_CATALOGUE } from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import type { Mail } from '@partner/kernel/process/mail';
import { z } from 'zod';

/** What an email notifies an owner of. */
export interface NotificationDigest {
  readonly to: string;
  readonly companyName: string;
  readonly publicBaseUrl: string;
  /** How often the owner gets emails. */
  readonly emails: string;
  /** Bodies of the events, oldest first. */
  readonly eventBodies: readonly string[];
  /** The number of all notifications; more than the bodies if some are left out. */
  readonly total: number;
}

const at = z.iso.datetime().transform((text) => `${text.slice(0, 10)} ${text.slice(11, 16)} UTC`);

/** One line, whatever an owner wrote. */
const line = z.string().transform((text) => text.replaceAll(/\s+/g, ' ').trim());

const ofWebhook = { description: line, host: line };

/** Every notification that this version can word; others are named only. */
const notification = z.discriminatedUnion('event', [
  z.object({
    event: z.literal('webhook.endpoint_failing'),
    data: EVENT_CATALOGUE['webhook.endpoint_failing'].data.strip().extend(ofWebhook),
  }),
  z.object({
    event: z.literal('webhook.endpoint_recovered'),
    data: EVENT_CATALOGUE['webhook.endpoint_recovered'].data.strip().extend(ofWebhook),
  }),
  z.object({
    event: z.literal('webhook.deliveries_dead_lettered'),
    data: EVENT_CATALOGUE['webhook.deliveries_dead_lettered'].data
      .strip()
      .extend({ ...ofWebhook, firstAt: at, lastAt: at }),
  }),
  z.object({
    event: z.literal('webhook.secret_expiring'),
    data: EVENT_CATALOGUE['webhook.secret_expiring'].data.strip().extend({ ...ofWebhook, expiresAt: at }),
  }),
  z.object({
    event: z.literal('webhook.certificate_expiring'),
    data: EVENT_CATALOGUE['webhook.certificate_expiring'].data
      .strip()
      .extend({ ...ofWebhook, expiresAt: at }),
  }),
  z.object({
    event: z.literal('api_key.expiring'),
    data: EVENT_CATALOGUE['api_key.expiring'].data.strip().extend({ expiresAt: at }),
  }),
]);

const anyEvent = z.object({ event: z.string(), occurredAt: at });

/**
 * Creates the email for a digest of notifications.
 *
 * It names webhooks and hosts, ids and counts, and no data of customers. Each notification links to its page. The last line
 * says how to turn the emails off.
 */
export function notificationMail(digest: NotificationDigest): Mail {
  const { to, companyName, emails, eventBodies, total } = digest;
  const base = `${digest.publicBaseUrl.replace(/\/$/, '')}/console`;
  const items = eventBodies.map((body) => itemOf(JSON.parse(body), base));
  const [first] = items;
  const left = total - items.length;
  return {
    to,
    subject:
      total === 1 && first !== undefined
        ? first.title
        : `${total} notifications about webhooks and API keys of ${companyName}`,
    text: `Webhooks and API keys of ${companyName}

${items.map(({ occurredAt, sentence, link }) => `${occurredAt}\n${sentence}\n${link}\n`).join('\n')}${left > 0 ? `\n${left} more: ${base}/\n` : ''}
--
You get at most one of these emails ${emails === 'daily' ? 'a day' : 'an hour'}. Get fewer, or turn them off:
${base}/notifications
`,
  };
}

interface Item {
  readonly occurredAt: string;
  readonly title: string;
  readonly sentence: string;
  readonly link: string;
}

function itemOf(body: unknown, base: string): Item {
  const { event, occurredAt } = anyEvent.parse(body);
  const known = notification.safeParse(body);
  const worded = known.success
    ? wordsOf(known.data)
    : { title: `Notification: ${event}`, sentence: `The event ${event} occurred.`, path: '/' };
  return { occurredAt, title: worded.title, sentence: worded.sentence, link: `${base}${worded.path}` };
}

function wordsOf({ event, data }: z.output<typeof notification>): {
  readonly title: string;
  readonly sentence: string;
  readonly path: string;
} {
  if (event === 'api_key.expiring') {
    return {
      title: `API key …${data.lastFour} ends soon`,
      sentence: `The API key …${data.lastFour} (${data.keyId}) ends on ${data.expiresAt}.`,
      path: '/api-keys',
    };
  }
  const { host, description } = data;
  const webhook = description === '' ? host : `"${description}" (${host})`;
  const path = `/webhooks/${encodeURIComponent(data.subscriptionId)}`;
  switch (event) {
    case 'webhook.endpoint_failing':
      return {
        title: `Webhook to ${host} is failing`,
        sentence: `The webhook ${webhook} is failing: its last five attempts failed.`,
        path,
      };
    case 'webhook.endpoint_recovered':
      return {
        title: `Webhook to ${host} has recovered`,
        sentence: `The webhook ${webhook} accepts deliveries again.`,
        path,
      };
    case 'webhook.deliveries_dead_lettered':
      return {
        title: `Dead letters of the webhook to ${host}`,
        sentence: `Deliveries of the webhook ${webhook} that were dead-lettered from ${data.firstAt} to ${data.lastAt}: ${data.count}.`,
        path,
      };
    case 'webhook.secret_expiring':
      return {
        title: `Former secret of the webhook to ${host} ends soon`,
        sentence: `Version ${data.secretVersion} of the signing secret of the webhook ${webhook} ends on ${data.expiresAt}. Version ${data.activeSecretVersion} signs deliveries.`,
        path,
      };
    case 'webhook.certificate_expiring':
      return {
        title: `Certificate of ${host} expires soon`,
        sentence: `The TLS certificate that the webhook ${webhook} presented last expires on ${data.expiresAt}.`,
        path,
      };
  }
}

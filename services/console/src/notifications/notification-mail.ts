import type { NotificationEmail } from '@partner/proto-contracts/internal/notifications/notification-emails';
import type { NotificationName } from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import type { Mail } from '@partner/kernel/mail/mail';
import { z } from 'zod';
import { oneLine, toMinute } from './security-notice-mail.js';

interface Words {
  readonly title: string;
  readonly sentence: string;
  readonly path: string;
}

const at = z.iso.datetime().transform(toMinute);

const webhook = z
  .object({ subscriptionId: z.string(), description: z.string(), host: z.string() })
  .transform(({ subscriptionId, ...of }) => {
    const [description, host] = [oneLine(of.description), oneLine(of.host)];
    const name = description === '' ? host : `"${description}" (${host})`;
    return { host, name, path: `/webhooks/${encodeURIComponent(subscriptionId)}` };
  });

/** The words for the data of every notification that this version knows. */
const WORDS: Readonly<Record<NotificationName, z.ZodType<Words>>> = {
  'webhook.endpoint_failing': webhook.transform(({ host, name, path }) => ({
    title: `Webhook to ${host} is failing`,
    sentence: `The webhook ${name} is failing: its last 5 attempts failed. Deliveries are retried automatically.`,
    path,
  })),
  'webhook.endpoint_recovered': webhook
    .and(z.object({ failingSince: at }))
    .transform(({ host, name, path, failingSince }) => ({
      title: `Webhook to ${host} is recovering`,
      sentence: `The webhook ${name} had been failing since ${failingSince} and accepts deliveries again. Those still waiting are retried automatically. You can also retry them now.`,
      path,
    })),
  'webhook.deliveries_dead_lettered': webhook
    .and(z.object({ count: z.int(), firstAt: at, lastAt: at }))
    .transform(({ host, name, path, count, firstAt, lastAt }) => ({
      title: `Deliveries of the webhook to ${host} were given up`,
      sentence: `${count === 1 ? '1 delivery' : `${count} deliveries`} of the webhook ${name} ${count === 1 ? 'was' : 'were'} given up ${firstAt === lastAt ? `at ${firstAt}` : `from ${firstAt} to ${lastAt}`}.`,
      path,
    })),
  'webhook.secret_expiring': webhook
    .and(z.object({ secretVersion: z.int(), activeSecretVersion: z.int(), expiresAt: at }))
    .transform(({ host, name, path, secretVersion, activeSecretVersion, expiresAt }) => ({
      title: `The old secret of the webhook to ${host} expires soon`,
      sentence: `Version ${secretVersion} of the signing secret of the webhook ${name} expires on ${expiresAt}. Deliveries are signed with version ${activeSecretVersion}.`,
      path,
    })),
  'webhook.certificate_expiring': webhook
    .and(z.object({ expiresAt: at }))
    .transform(({ host, name, path, expiresAt }) => ({
      title: `The certificate of ${host} expires soon`,
      sentence: `The TLS certificate of the server that the webhook ${name} sends to expires on ${expiresAt}.`,
      path,
    })),
  'api_key.expiring': z
    .object({ keyId: z.string(), lastFour: z.string(), expiresAt: at })
    .transform(({ keyId, lastFour, expiresAt }) => ({
      title: `The API key …${lastFour} expires soon`,
      sentence: `The API key …${lastFour} (${keyId}) expires on ${expiresAt}.`,
      path: '/api-keys',
    })),
};

const wordsByEvent = new Map<string, z.ZodType<Words>>(Object.entries(WORDS));

const anyEvent = z.object({ event: z.string(), occurredAt: at, data: z.unknown() });

/**
 * Creates the email with everything that an owner is to be notified of since the previous one.
 *
 * It names webhooks and hosts, ids and counts, and no data of customers. Each notification links to its page; one that this version
 * does not know is named only. The last line says how to turn the emails off.
 */
export function notificationMail(
  { email, companyName, emails, eventBodies, total }: NotificationEmail,
  publicBaseUrl: string,
): Mail {
  const base = `${publicBaseUrl.replace(/\/$/, '')}/console`;
  const items = eventBodies.map((body) => {
    const { event, occurredAt, data } = anyEvent.parse(JSON.parse(body));
    const named = { title: `Notification: ${event}`, sentence: `The event ${event} occurred.`, path: '/' };
    const { title, sentence, path } = wordsByEvent.get(event)?.safeParse(data).data ?? named;
    return { title, text: `${occurredAt}\n${sentence}\n${base}${path}\n` };
  });
  const [first] = items;
  const left = total - items.length;
  return {
    to: email,
    subject:
      total === 1 && first !== undefined
        ? first.title
        : `${total} notifications about webhooks and API keys of ${companyName}`,
    text: `Webhooks and API keys of ${companyName}

${items.map(({ text }) => text).join('\n')}${left > 0 ? `\n${left} more: ${base}/\n` : ''}
--
You get at most one of these emails ${emails === 'daily' ? 'a day' : 'an hour'}. Get fewer, or turn them off:
${base}/notifications
`,
  };
}

import { z } from 'zod';
import { dateTimeOut } from '../../values/date-time.js';
import { companyClass } from '../../values/company-class.js';
import { defineEvent, EXAMPLE, id } from './define-event.js';

/** The webhook that a notification is about: no path of its URL, which can hold a secret. */
const aboutWebhook = {
  subscriptionId: id('The webhook subscription that it is about.'),
  description: id('Its description; may be empty.'),
  host: id('The host of its URL.'),
};

const WEBHOOK = {
  subscriptionId: EXAMPLE.subscriptionId,
  description: 'Dispatch board',
  host: 'hooks.example.com',
};

const webhookResource = (version: number) => ({
  type: 'webhook_subscription',
  id: EXAMPLE.subscriptionId,
  version,
});

/** Events that notify owners of the state of their webhooks and API keys. */
export const NOTIFICATION_EVENTS = {
  'webhook.endpoint_failing': defineEvent({
    meaning: 'five attempts in a row to another webhook of your company failed',
    classes: companyClass.options,
    data: z.strictObject(aboutWebhook),
    resource: webhookResource(1),
    example: WEBHOOK,
  }),
  'webhook.endpoint_recovered': defineEvent({
    meaning: 'a failing webhook of your company accepts deliveries again',
    classes: companyClass.options,
    data: z.strictObject({
      ...aboutWebhook,
      failingSince: dateTimeOut.meta({ description: 'When `webhook.endpoint_failing` occurred.' }),
    }),
    resource: webhookResource(2),
    example: { ...WEBHOOK, failingSince: '2026-09-03T11:02:41.120Z' },
  }),
  'webhook.deliveries_dead_lettered': defineEvent({
    meaning:
      'deliveries to another webhook of your company were dead-lettered; one event counts those of up to an hour',
    classes: companyClass.options,
    data: z.strictObject({
      ...aboutWebhook,
      count: z.int().meta({ description: 'The number of deliveries since the previous event of this kind.' }),
      firstAt: dateTimeOut.meta({ description: 'When the first of them was dead-lettered.' }),
      lastAt: dateTimeOut.meta({ description: 'When the last of them was dead-lettered.' }),
    }),
    resource: webhookResource(3),
    example: {
      ...WEBHOOK,
      count: 12,
      firstAt: '2026-09-03T11:44:02.050Z',
      lastAt: '2026-09-03T12:30:58.731Z',
    },
  }),
  'webhook.secret_expiring': defineEvent({
    meaning: 'the previous signing secret of another webhook is about to end',
    classes: companyClass.options,
    data: z.strictObject({
      ...aboutWebhook,
      secretVersion: z.int().meta({ description: 'The version that ends.' }),
      activeSecretVersion: z.int().meta({ description: 'The version that signs deliveries.' }),
      expiresAt: dateTimeOut.meta({ description: 'When the secret ends.' }),
    }),
    resource: webhookResource(4),
    example: {
      ...WEBHOOK,
      secretVersion: 1,
      activeSecretVersion: 2,
      expiresAt: '2026-09-04T00:31:07.412Z',
    },
  }),
  'webhook.certificate_expiring': defineEvent({
    meaning: 'the TLS certificate of another webhook is about to expire: 14 and 3 days before',
    classes: companyClass.options,
    data: z.strictObject({
      ...aboutWebhook,
      expiresAt: dateTimeOut.meta({
        description: 'When the certificate that the endpoint presented last expires.',
      }),
    }),
    resource: webhookResource(5),
    example: { ...WEBHOOK, expiresAt: '2026-09-17T12:00:00.000Z' },
  }),
  'api_key.expiring': defineEvent({
    meaning: 'an API key is about to end: 7 days and 1 day before',
    classes: companyClass.options,
    data: z.strictObject({
      keyId: id('The id of the key.'),
      lastFour: id('The last four characters of the key.'),
      replacedBy: z
        .string()
        .nullable()
        .meta({ description: 'The id of the key that a rotation created in its place; null without one.' }),
      expiresAt: dateTimeOut.meta({ description: 'When the key ends.' }),
    }),
    resource: {
      type: 'api_key',
      id: 'key_01k3g9v2m6t8xwq4z7nr5dcb9e',
      version: 1,
    },
    example: {
      keyId: 'key_01k3g9v2m6t8xwq4z7nr5dcb9e',
      lastFour: 'q7Zr',
      replacedBy: 'key_01k3jc5w8n2q6mx9z4t7rvdcbe',
      expiresAt: '2026-09-04T12:31:00.000Z',
    },
  }),
} as const;

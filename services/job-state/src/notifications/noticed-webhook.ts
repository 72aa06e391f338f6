import type { Notification } from './notify-owners.js';

/** A webhook of a notification, as {@link NOTICED_COLUMNS} returns it. */
export interface NoticedWebhook {
  readonly subscriptionId: string;
  readonly companyId: string;
  readonly description: string;
  readonly url: string;
  readonly version: number;
}

/** Columns of a {@link NoticedWebhook}, from `subscriptions s` whose `notification_version` was raised. */
export const NOTICED_COLUMNS = `s.id as "subscriptionId", s.company_id as "companyId", s.description, s.url,
  s.notification_version as version`;

/** The parts that every notification about a webhook has. */
export function aboutWebhook({ subscriptionId, companyId, description, url, version }: NoticedWebhook) {
  return {
    companyId,
    resource: { type: 'webhook_subscription', id: subscriptionId, version },
    data: { subscriptionId, description, host: new URL(url).host },
  } as const satisfies Pick<Notification<'webhook.endpoint_failing'>, 'companyId' | 'resource' | 'data'>;
}

/** Filters of the list of deliveries, by their query parameter. */
export interface DeliveryFilter {
  readonly webhook?: string | undefined;
  readonly status?: string | undefined;
  readonly event?: string | undefined;
  readonly search?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly fromNumber?: string | undefined;
  readonly toNumber?: string | undefined;
}

/** Tabs of a webhook's page; the first is shown without a choice. */
export const WEBHOOK_TABS = ['overview', 'deliveries', 'settings', 'secret', 'try'] as const;
type WebhookTab = (typeof WEBHOOK_TABS)[number];

/** Path of each page below `/console`. */
export const PATHS = {
  signIn: '/sign-in',
  overview: '/',
  webhooks: '/webhooks',
  createWebhook: '/webhooks/new',
  setUpWebhook: (id: string) => `/webhooks/${encodeURIComponent(id)}/setup`,
  webhook: (id: string, tab?: WebhookTab) => withQuery(`/webhooks/${encodeURIComponent(id)}`, { tab }),
  rotateSecret: (id: string) => `/webhooks/${encodeURIComponent(id)}/rotate-secret`,
  bulkReplay: (
    id: string,
    which: Pick<DeliveryFilter, 'status' | 'event' | 'from' | 'to'> & {
      readonly outcome?: string;
      readonly responseStatus?: string | undefined;
    } = {},
  ) => withQuery(`/webhooks/${encodeURIComponent(id)}/replay`, { ...which }),
  webhookProposal: (id: string) => `/webhooks/proposals/${encodeURIComponent(id)}`,
  deliveries: (filter: DeliveryFilter = {}) => withQuery('/deliveries', { ...filter }),
  delivery: (id: string) => `/deliveries/${encodeURIComponent(id)}`,
  why: (resourceId?: string) => withQuery('/why', { resourceId }),
  whyEvent: (eventId: string, resourceId?: string) => withQuery('/why', { resourceId, eventId }),
  catalogue: '/catalogue',
  receiverCode: '/receiver-code',
  testReceiver: '/test-receiver',
  testRequest: (request: string) => withQuery('/test-receiver', { request }),
  apiKeys: '/api-keys',
  audit: '/audit',
  colleagues: '/people',
  sessions: '/sessions',
  account: '/account',
  notifications: '/notifications',
  technicalContact: '/technical-contact',
} as const;

/** Returns whether the page of a path only changes something, so that a viewer has no use for it. */
export function isOwnersPath(path: string): boolean {
  return path === PATHS.createWebhook || /^\/webhooks\/[^/?]+\/(setup|rotate-secret|replay)(\?|$)/.test(path);
}

/** Returns the path of the sign-in page, which is outside of the app and returns to `path`. */
export function signInPath(path: string): string {
  return path === PATHS.overview ? PATHS.signIn : withQuery(PATHS.signIn, { next: path });
}

/** Returns a path with the parameters that have a value. */
export function withQuery(
  path: string,
  query: Readonly<Record<string, string | number | undefined>>,
): string {
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}

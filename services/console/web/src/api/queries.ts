import type { Input } from './operations.js';
import { useOperation, useOperationList } from './use-operation.js';

/** All subscriptions of the company, oldest first. */
export const useWebhooks = () => useOperation('listWebhooks', {});

/** One subscription. */
export const useWebhook = (id: string) => useOperation('getWebhook', { params: { id } });

/** One delivery with its attempts and its body; nothing without an id. */
export const useDelivery = (id: string | undefined) =>
  useOperation('getDelivery', { params: { id: id ?? '' } }, { enabled: id !== undefined });

/** The API keys of the company, newest first. */
export const useApiKeys = () => useOperationList('listApiKeys', { query: { limit: 50 } }, ({ keys }) => keys);

/** Every event that a subscription can name. */
export const useEventCatalogue = () => useOperation('listWebhookEvents', {}, { isLive: false });

/** The statistics of all subscriptions of the company. */
export const useCompanyStatistics = (query: Input<'getStatistics'>['query'] = {}) =>
  useOperation('getStatistics', { query }, { keepsPrevious: true, isSum: true });

/** Whether the service works, whatever the company's endpoints do. */
export const useServiceStatus = () => useOperation('getServiceStatus', {}, { isSum: true });

import { eventCatalogue } from '@partner/proto-contracts/resources/event-catalogue/event-catalogue';
import { useApiQuery } from './use-api-query.js';

/** Every event that a subscription can name. */
export function useEventCatalogue() {
  return useApiQuery({
    key: ['event-catalogue'],
    schema: eventCatalogue,
    path: '/webhook-events',
    isLive: false,
  });
}

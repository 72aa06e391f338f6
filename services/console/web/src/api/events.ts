import { eventPage, eventWithTrail } from '@partner/proto-contracts/resources/event/event';
import { useApiQuery } from './use-api-query.js';
import { useCursorList } from './use-cursor-list.js';

/** The company's events, newest first, and the explanation if a resource has none. */
export function useEvents(filter: { readonly event?: string; readonly resourceId?: string }) {
  const list = useCursorList({
    key: ['events'],
    schema: eventPage,
    path: '/events',
    query: { ...filter, limit: 20 },
  });
  return {
    ...list,
    events: list.pages?.flatMap((page) => page.events),
    explanation: list.pages?.[0]?.explanation ?? null,
  };
}

/** One event with its outcome for each subscription. */
export function useEvent(id: string | undefined) {
  return useApiQuery({
    key: ['event', id],
    schema: eventWithTrail,
    path: `/events/${encodeURIComponent(id ?? '')}`,
    enabled: id !== undefined,
  });
}

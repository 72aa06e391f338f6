import { eventPage, eventWithTrail } from '@partner/proto-contracts/resources/event/event';
import { useApiQuery } from './use-api-query.js';
import { useCursorList } from './use-cursor-list.js';

/** The events of the company, newest first, and why there is none about the resource. */
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

/** One event and what became of it for each subscription. */
export function useEvent(id: string | undefined) {
  return useApiQuery({
    key: ['event', id],
    schema: eventWithTrail,
    path: `/events/${encodeURIComponent(id ?? '')}`,
    enabled: id !== undefined,
  });
}

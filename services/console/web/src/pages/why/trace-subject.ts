/** Subject of a trace: an event, a delivery, or all events about a resource. */
export type TraceSubject =
  | { readonly kind: 'event'; readonly id: string }
  | { readonly kind: 'delivery'; readonly id: string }
  | { readonly kind: 'resource'; readonly id: string };

/** Derives the subject from an id; undefined for an empty one. */
export function parseTraceSubject(text: string): TraceSubject | undefined {
  const id = text.trim();
  if (id === '') return undefined;
  if (id.startsWith('evt_')) return { kind: 'event', id };
  return { kind: id.startsWith('dlv_') ? 'delivery' : 'resource', id };
}

/** Returns the page's query for a subject. */
export function queryOf(subject: TraceSubject): Readonly<Record<string, string>> {
  switch (subject.kind) {
    case 'event':
      return { eventId: subject.id };
    case 'delivery':
      return { deliveryId: subject.id };
    case 'resource':
      return { resourceId: subject.id };
  }
}

/** Returns the subject in the page's query. */
export function traceSubjectOf(query: URLSearchParams): TraceSubject | undefined {
  const [eventId, deliveryId, resourceId] = [
    query.get('eventId'),
    query.get('deliveryId'),
    query.get('resourceId'),
  ];
  if (eventId) return { kind: 'event', id: eventId };
  if (deliveryId) return { kind: 'delivery', id: deliveryId };
  return resourceId ? { kind: 'resource', id: resourceId } : undefined;
}

/** What someone looks up: an event, a delivery, or everything about a resource. */
export type TraceSubject =
  | { readonly kind: 'event'; readonly id: string }
  | { readonly kind: 'delivery'; readonly id: string }
  | { readonly kind: 'resource'; readonly id: string };

/** Tells from an id what is asked for; undefined for none. */
export function parseTraceSubject(text: string): TraceSubject | undefined {
  const id = text.trim();
  if (id === '') return undefined;
  if (id.startsWith('evt_')) return { kind: 'event', id };
  return { kind: id.startsWith('dlv_') ? 'delivery' : 'resource', id };
}

/** The query of the page for what is asked. */
export function queryOf(asked: TraceSubject): Readonly<Record<string, string>> {
  switch (asked.kind) {
    case 'event':
      return { eventId: asked.id };
    case 'delivery':
      return { deliveryId: asked.id };
    case 'resource':
      return { resourceId: asked.id };
  }
}

/** What the query of the page asks for. */
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

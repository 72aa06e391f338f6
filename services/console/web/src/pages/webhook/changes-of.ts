/** Settings of a subscription that an owner can change. */
export interface WebhookSettings {
  readonly url: string;
  readonly events: readonly string[];
  readonly description: string;
  readonly deliveriesPerSecond: number | null;
}

/** Returns the changed settings. The order of events does not matter. */
export function changesOf(before: WebhookSettings, given: WebhookSettings): Partial<WebhookSettings> {
  const known = new Set(before.events);
  const isSameEvents =
    before.events.length === given.events.length && given.events.every((event) => known.has(event));
  return {
    ...(before.url === given.url ? {} : { url: given.url }),
    ...(isSameEvents ? {} : { events: given.events }),
    ...(before.description === given.description ? {} : { description: given.description }),
    ...(before.deliveriesPerSecond === given.deliveriesPerSecond
      ? {}
      : { deliveriesPerSecond: given.deliveriesPerSecond }),
  };
}

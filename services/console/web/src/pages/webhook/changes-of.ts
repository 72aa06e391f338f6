/** What an owner can say of a subscription. */
export interface WebhookSettings {
  readonly url: string;
  readonly events: readonly string[];
  readonly description: string;
}

/** Those of the given settings that are not as they were. The order of events means nothing. */
export function changesOf(before: WebhookSettings, given: WebhookSettings): Partial<WebhookSettings> {
  const known = new Set(before.events);
  const isSameEvents =
    before.events.length === given.events.length && given.events.every((event) => known.has(event));
  return {
    ...(before.url === given.url ? {} : { url: given.url }),
    ...(isSameEvents ? {} : { events: given.events }),
    ...(before.description === given.description ? {} : { description: given.description }),
  };
}

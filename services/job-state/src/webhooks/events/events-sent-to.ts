import {
  type EventName,
  eventsMatching,
  eventsNamedBy,
} from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';

/**
 * The events that a subscription receives, only those of an event or group if one is given.
 *
 * These are the events that its names and groups match and that the company's class allows. A test is not among them: it is
 * sent to one subscription on demand.
 */
export function eventsSentTo(
  { events, companyClass }: { readonly events: readonly string[]; readonly companyClass: CompanyClassName },
  event?: string,
): readonly EventName[] {
  const received = new Set(events.flatMap((pattern) => eventsMatching(pattern, companyClass)));
  received.delete('install.test');
  return event === undefined ? [...received] : eventsNamedBy(event).filter((name) => received.has(name));
}

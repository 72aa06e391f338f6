import { type EventName, eventsMatching } from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';

/**
 * The events that a subscription receives.
 *
 * These are the events that its names and groups match and that the company's class allows. A test is not among them: it is
 * sent to one subscription on demand.
 */
export function eventsOfSubscription(
  patterns: readonly string[],
  companyClass: CompanyClassName,
): readonly EventName[] {
  const events = new Set(patterns.flatMap((pattern) => eventsMatching(pattern, companyClass)));
  events.delete('install.test');
  return [...events];
}

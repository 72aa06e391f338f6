import {
  type CompanyClassName,
  type EventName,
  eventsMatching,
} from '@partner/proto-contracts/public-api/webhook-events';

/**
 * The events that a subscription gets when they happen: those that its names and groups stand for and that the company's class
 * may have. A test is none of them: it is sent to one subscription on demand.
 */
export function eventsOfSubscription(
  patterns: readonly string[],
  companyClass: CompanyClassName,
): readonly EventName[] {
  const events = new Set(patterns.flatMap((pattern) => eventsMatching(pattern, companyClass)));
  events.delete('install.test');
  return [...events];
}

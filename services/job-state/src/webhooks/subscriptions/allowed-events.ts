import { allowedPatterns } from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import { invalidArgument } from '@partner/kernel/process/validation';

/**
 * Returns the events of a subscription without duplicates. Fails with `invalid_argument` and a violation for each event that the company's
 * class does not allow, under `events.<index>` and with the allowed events.
 */
export function allowedEvents(events: readonly string[], companyClass: CompanyClassName): readonly string[] {
  const allowed = allowedPatterns(companyClass);
  const message = `must be an event that a company of class ${companyClass} can receive, or a group of such events; allowed: ${allowed.join(', ')}`;
  const violations = events.flatMap((pattern, index) =>
    allowed.includes(pattern) ? [] : [{ path: `events.${index}`, message }],
  );
  if (violations.length > 0) throw invalidArgument(violations);
  return [...new Set(events)];
}

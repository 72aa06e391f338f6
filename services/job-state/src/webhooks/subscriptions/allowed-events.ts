import { allowedPatterns } from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import {
  EVENT_PATTERNS,
  nearestEvent,
} from '@partner/proto-contracts/resources/event-catalogue/nearest-event';
import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import type { FieldViolation } from '@partner/kernel/process/service-error';

/**
 * Returns a violation for each event of a subscription that the company's class does not allow, under `events.<index>` and with the
 * allowed events.
 */
export function eventViolations(events: readonly string[], companyClass: CompanyClassName): FieldViolation[] {
  const allowed = allowedPatterns(companyClass);
  return events.flatMap((pattern, index) =>
    allowed.includes(pattern)
      ? []
      : [
          {
            path: `events.${index}`,
            message: `must be an event that a company of class ${companyClass} may have, or a group of them${EVENT_PATTERNS.includes(pattern) ? '' : nearestEvent(pattern, allowed)}; allowed: ${allowed.join(', ')}`,
          },
        ],
  );
}

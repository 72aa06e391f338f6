import {
  EVENT_CATALOGUE,
  eventGroup,
  eventsMatching,
  isEventName,
} from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import type { FieldViolation } from '@partner/kernel/service-error';

/**
 * Returns a violation for each event of a subscription that the company's class does not allow.
 *
 * An event must be the name of an allowed event, or `group.*` of a group with at least one. `install.test` is allowed for any
 * class, but no group includes it: it is only sent on demand. Each violation is under `events.<index>` and lists the allowed
 * events.
 */
export function eventViolations(events: readonly string[], companyClass: CompanyClassName): FieldViolation[] {
  const allowed = allowedPatterns(companyClass);
  return events.flatMap((pattern, index) =>
    allowed.includes(pattern)
      ? []
      : [
          {
            path: `events.${index}`,
            message: `must be an event that a company of class ${companyClass} may have, or a group of them; allowed: ${allowed.join(', ')}`,
          },
        ],
  );
}

function allowedPatterns(companyClass: CompanyClassName): string[] {
  const names = Object.keys(EVENT_CATALOGUE)
    .filter(isEventName)
    .filter((event) => eventsMatching(event, companyClass).length > 0);
  const groups = names.filter((event) => event !== 'install.test').map((event) => `${eventGroup(event)}.*`);
  return [...names, ...new Set(groups)];
}

import {
  type CompanyClassName,
  EVENT_CATALOGUE,
  eventGroup,
  eventsMatching,
  isEventName,
} from '@partner/proto-contracts/public-api/webhook-events';
import type { FieldViolation } from '@partner/kernel/service-error';

/**
 * What of the events that a subscription names is not for a company of the class: neither the name of an event that it may
 * have nor, as `group.*`, a group with any. `install.test` goes to any class, but makes no group: it is sent on demand alone.
 * One violation each, under `events.<index>`, with what is allowed.
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

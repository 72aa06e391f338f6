import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import { invalidArgument, validate } from '@partner/kernel/process/validation';
import type { z } from 'zod';
import { eventViolations } from './allowed-events.js';

/**
 * Checks the fields of a subscription against the schema and the company's class, and removes duplicate events.
 *
 * Fails with `invalid_argument` that lists every violation; a disallowed event is `events.<index>`.
 */
export function checkFields<Fields extends { readonly events?: readonly string[] | undefined }>(
  schema: z.ZodType<Fields>,
  given: unknown,
  companyClass: CompanyClassName,
): Fields {
  const checked = validate(schema, given, 'subscription');
  if (!checked.valid) throw invalidArgument(checked.violations);
  const { events } = checked.value;
  if (events === undefined) return checked.value;
  const violations = eventViolations(events, companyClass);
  if (violations.length > 0) throw invalidArgument(violations);
  return { ...checked.value, events: [...new Set(events)] };
}

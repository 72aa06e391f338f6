import { z } from 'zod';

/** An IANA time zone name, e.g. `America/Chicago`. An offset such as `+05:00` is none. */
export const timeZoneName = z
  .string()
  .max(64)
  .refine(isTimeZoneName, 'must be an IANA time zone name, e.g. America/Chicago')
  .meta({ description: 'An IANA time zone name.', examples: ['America/Chicago'] });

function isTimeZoneName(name: string): boolean {
  // Each part begins with a capital letter: the runtime takes any case, readers in other languages do not. No offsets.
  if (!/^[A-Z]\w*(?:[-+/]\w+)*$/.test(name) || /\/[a-z]/.test(name)) return false;
  try {
    const canonical = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
    return canonical === name || canonical.toLowerCase() !== name.toLowerCase();
  } catch {
    return false;
  }
}

import { z } from 'zod';

/** An IANA time zone name, e.g. `America/Chicago`. An offset such as `+05:00` is none. */
export const timeZoneName = z
  .string()
  .max(64)
  .refine(isTimeZoneName, 'must be an IANA time zone name, e.g. America/Chicago')
  .meta({ example: 'America/Chicago' });

function isTimeZoneName(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    const canonical = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
    // The runtime takes any case; readers in other languages do not.
    return canonical === name || canonical.toLowerCase() !== name.toLowerCase();
  } catch {
    return false;
  }
}

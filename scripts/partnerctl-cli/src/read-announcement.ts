import { OperatorError } from './exit-codes.js';

/** Returns the changelog's entry of a date, without its heading. Fails with a clear message if it is missing. */
export function readAnnouncement(changelog: string, date: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  const entry = sections.find((section) => section.startsWith(`${date}\n`));
  if (entry !== undefined) return entry.slice(date.length).trim();
  const dates = sections.flatMap((section) => /^\d{4}-\d{2}-\d{2}(?=\n)/.exec(section) ?? []);
  throw new OperatorError(
    'notFound',
    `the changelog has no entry of ${date}; it has those of ${dates.join(', ')}`,
  );
}

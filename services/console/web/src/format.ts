const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** `Intl` takes 30 ms when it is first used, so it is used only for what follows the reader's locale. */
let exact: Intl.DateTimeFormat | undefined;

const two = (part: number) => String(part).padStart(2, '0');

/** Formats the time of a day, e.g. `13:32`. */
export const formatClock = (at: Date) => `${two(at.getHours())}:${two(at.getMinutes())}`;

/** Formats a day of about now, e.g. `Nov 27`. */
export const formatDay = (at: Date) => `${at.toDateString().slice(4, 7)} ${at.getDate()}`;

/** Formats a time relative to now, e.g. `3 minutes ago` or `in 2 hours`. */
export function formatRelative(at: Date, now: Date): string {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1_000);
  for (const [unit, size] of UNITS) {
    if (Math.abs(seconds) < size) continue;
    const count = Math.trunc(Math.abs(seconds) / size);
    if (unit === 'day' && count === 1) return at < now ? 'yesterday' : 'tomorrow';
    const time = formatCountOf(count, unit, `${unit}s`);
    return at < now ? `${time} ago` : `in ${time}`;
  }
  const isSoon = Math.abs(seconds) < 10;
  if (at < now) return isSoon ? 'just now' : 'less than a minute ago';
  return isSoon ? 'in a few seconds' : 'in less than a minute';
}

/** Formats how long something takes or is ago, in one unit: `41 s`, `3 min`, `2 h` or `5 d`. */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  const [size, unit] = (
    [
      [86_400, 'd'],
      [3_600, 'h'],
      [60, 'min'],
    ] as const
  ).find(([each]) => seconds >= each) ?? [1, 's'];
  return `${formatCount(Math.trunc(seconds / size))} ${unit}`;
}

/** Formats a past time relative to now. A future time, from a service clock that is ahead, counts as now. */
export function formatPast(at: Date, now: Date): string {
  return at < now ? formatRelative(at, now) : 'just now';
}

/** Formats since when something is so, e.g. `13:32`, with the day if that was another one. */
export function formatSince(at: Date, now: Date): string {
  return `${at.toDateString() === now.toDateString() ? '' : `${formatDay(at)}, `}${formatClock(at)}`;
}

/** Formats a time to the second with its time zone, in the browser's locale. */
export function formatExact(at: Date): string {
  exact ??= new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });
  return exact.format(at);
}

/** Formats a duration, e.g. `82 ms`, `1.4 s` or `3 min`; a dash without one. */
export function formatDuration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return '–';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  return `${formatCount(Math.round(ms / 60_000))} min`;
}

/** Formats a duration that is an estimate, e.g. `about 1.7 s`. */
export function formatAbout(ms: number | null | undefined): string {
  return ms === null || ms === undefined ? '–' : `about ${formatDuration(Number(ms.toPrecision(2)))}`;
}

/** Formats a count, e.g. `12,480`. */
export function formatCount(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}

/** Formats a count with its noun, e.g. `1 delivery` or `12 deliveries`. */
export function formatCountOf(count: number, one: string, many: string): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** Formats a share, e.g. `99.9%`; never rounded up to 100. Undefined for a whole of 0. */
export function formatShare(part: number, total: number): string | undefined {
  if (total === 0) return undefined;
  const percent = (part / total) * 100;
  const shown = part < total ? Math.min(Math.floor(percent * 10) / 10, 99.9) : 100;
  return `${shown}%`;
}

/** Converts a time to the value of a `datetime-local` field, in the reader's time zone; empty for none. */
export function toLocalInput(iso: string | undefined): string {
  if (iso === undefined) return '';
  const at = new Date(iso);
  const day = `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day}T${formatClock(at)}:${two(at.getSeconds())}`;
}

/** Converts the value of such a field to ISO text; undefined if it is empty or incomplete. */
export function fromLocalInput(text: string): string | undefined {
  const at = new Date(text);
  return text === '' || Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

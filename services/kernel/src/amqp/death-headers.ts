export const DEAD_REASON = 'x-dead-reason';
/** Time of dead-lettering, in ISO 8601. */
export const DIED_AT = 'x-died-at';

const REASON_LENGTH = 1_000;

export function deathHeaders(reason: string, at: Date): Record<string, string> {
  return { [DEAD_REASON]: reason.slice(0, REASON_LENGTH), [DIED_AT]: at.toISOString() };
}

/** Why a message was given up on, in the words of whoever did. */
export const DEAD_REASON = 'x-dead-reason';
/** When, as an instant in ISO 8601. */
export const DIED_AT = 'x-died-at';

const REASON_LENGTH = 1_000;

/** The headers of a message that is given up on, besides its own. */
export function deathHeaders(reason: string, at: Date): Record<string, string> {
  return { [DEAD_REASON]: reason.slice(0, REASON_LENGTH), [DIED_AT]: at.toISOString() };
}

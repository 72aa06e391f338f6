import type { Attempt } from '../../api/hooks.js';

/** A step of an attempt, in milliseconds from its beginning. */
interface Step {
  readonly name: string;
  readonly fromMs: number;
  readonly ms: number;
}

/** The step that is the partner's own time. */
export const OWN_STEP = 'Wait for your server';

/**
 * Returns the steps that an attempt reached, in their order. The time that no step accounts for belongs to the step in which the attempt
 * ended; after a response it is that of sending and receiving.
 */
export function stepsOf(exchange: NonNullable<Attempt['exchange']>, durationMs: number): readonly Step[] {
  const { dnsMs, connectMs, tlsMs, firstByteMs, reusedConnection } = exchange;
  const named = {
    'Find the address': dnsMs,
    Connect: connectMs,
    'Encrypt (TLS)': tlsMs,
    [OWN_STEP]: firstByteMs,
  };
  const known = Object.entries(named).flatMap(([name, ms]) => (ms === null ? [] : [{ name, ms }]));
  const places = [dnsMs, connectMs, reusedConnection ? 0 : tlsMs, firstByteMs];
  const end =
    [...Object.keys(named), 'Send and receive'][places.findLastIndex((ms) => ms !== null) + 1] ?? '';
  const restMs = durationMs - known.reduce((sum, { ms }) => sum + ms, 0);
  let fromMs = 0;
  return [...known, ...(restMs > 0 ? [{ name: end, ms: restMs }] : [])].map((step) => {
    fromMs += step.ms;
    return { ...step, fromMs: fromMs - step.ms };
  });
}

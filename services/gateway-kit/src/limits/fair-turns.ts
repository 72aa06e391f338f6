export type FairTurns = (key: string, start: () => void) => void;

/**
 * Creates turns, so that many pieces of work that come at once do not hold up the event loop, and one client's do not precede those of
 * others. At most `perTurn` start in one turn of the event loop. The keys that wait, e.g. client networks, take turns. No work is
 * refused or delayed by a time. While `maxWaiting` wait, further work starts right away: a client that reads no responses, and sends
 * one request after another on its connection, is then held by what it has not read.
 */
export function createFairTurns({
  perTurn,
  maxWaiting,
}: {
  readonly perTurn: number;
  readonly maxWaiting: number;
}): FairTurns {
  /** Waiting work of each key, in round-robin order. */
  const waiting = new Map<string, (() => void)[]>();
  let waits = 0;
  let started = 0;
  let isTurnDue = false;

  function takeTurn(): void {
    started = 0;
    isTurnDue = false;
    for (const [key, queue] of waiting) {
      const next = queue.shift();
      // The key goes to the end of the round-robin order.
      waiting.delete(key);
      if (queue.length > 0) waiting.set(key, queue);
      if (next === undefined) continue;
      waits -= 1;
      run(next);
      if (started >= perTurn) return;
    }
  }

  function run(start: () => void): void {
    started += 1;
    if (!isTurnDue) setImmediate(takeTurn);
    isTurnDue = true;
    start();
  }

  return (key, start) => {
    const queue = waiting.get(key);
    if (waits >= maxWaiting || (queue === undefined && started < perTurn)) {
      run(start);
      return;
    }
    waits += 1;
    if (queue === undefined) waiting.set(key, [start]);
    else queue.push(start);
  };
}

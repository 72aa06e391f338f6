/** Starts work now, or in the order of turns. */
export type FairTurns = (key: string, start: () => void) => void;

/**
 * Creates turns, so that many pieces of work that come at once do not hold up the event loop, and one client's do not precede those of
 * others. At most `perTurn` start in one turn of the event loop. The keys that wait, e.g. client networks, take turns. Work beyond this
 * is neither delayed by a time nor refused: while there is no other work, it starts right away.
 */
export function createFairTurns(perTurn: number): FairTurns {
  /** Waiting work of each key, in round-robin order. */
  const waiting = new Map<string, (() => void)[]>();
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
      if (next !== undefined) run(next);
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
    if (queue !== undefined) queue.push(start);
    else if (started === perTurn) waiting.set(key, [start]);
    else run(start);
  };
}

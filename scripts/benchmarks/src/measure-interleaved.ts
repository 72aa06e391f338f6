/** One of the compared contenders. */
export interface Contender {
  /** Sends the request of a turn and resolves on the expected response. */
  send(turn: number): Promise<void>;
}

/**
 * Runs contenders in turns, so that other load of the machine affects all of them equally. Returns the durations of each
 * in milliseconds. Another contender starts each round. The first failure ends the run.
 */
export async function measureInterleaved(options: {
  readonly contenders: readonly Contender[];
  /** Measured rounds; in each, every contender has one turn. */
  readonly rounds: number;
  /** Rounds before them that are not measured. */
  readonly warmUpRounds: number;
  /** Concurrent requests. */
  readonly atOnce: number;
  readonly signal: AbortSignal;
}): Promise<number[][]> {
  const { contenders, warmUpRounds, signal } = options;
  const durations: number[][] = contenders.map(() => []);
  const turns = contenders.length * (warmUpRounds + options.rounds);
  let next = 0;

  async function takeTurns(): Promise<void> {
    while (next < turns) {
      signal.throwIfAborted();
      const turn = next;
      next += 1;
      const round = Math.floor(turn / contenders.length);
      const place = (turn + round) % contenders.length;
      const startedAt = performance.now();
      await contenders[place]?.send(round);
      if (round >= warmUpRounds) durations[place]?.push(performance.now() - startedAt);
    }
  }

  try {
    await Promise.all(Array.from({ length: options.atOnce }, takeTurns));
  } finally {
    next = turns;
  }
  return durations;
}

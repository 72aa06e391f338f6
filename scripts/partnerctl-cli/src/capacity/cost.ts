/** What one request, event or delivery costs, or many of them. */
export interface Cost {
  /** Milliseconds of processor time by process. */
  readonly processorMs: Readonly<Record<string, number>>;
  /** Statements to Postgres, `begin` and `commit` among them. */
  readonly statements: number;
  /** Flushes of the WAL, or transactions that write: each needs at most one. */
  readonly flushes: number;
  readonly walBytes: number;
  /** Bytes through RabbitMQ in both directions. */
  readonly brokerBytes: number;
  /** Bytes by which each table grows, with its indexes. */
  readonly storedBytes: Readonly<Record<string, number>>;
}

/** Combines two costs number by number. A missing process or table counts as 0. */
export function combineCosts(one: Cost, other: Cost, by: (one: number, other: number) => number): Cost {
  const each = (a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.keys({ ...a, ...b }).map((name) => [name, by(a[name] ?? 0, b[name] ?? 0)]));
  return {
    processorMs: each(one.processorMs, other.processorMs),
    statements: by(one.statements, other.statements),
    flushes: by(one.flushes, other.flushes),
    walBytes: by(one.walBytes, other.walBytes),
    brokerBytes: by(one.brokerBytes, other.brokerBytes),
    storedBytes: each(one.storedBytes, other.storedBytes),
  };
}

/** Multiplies each number of a cost. */
export function multiplyCost(cost: Cost, factor: number): Cost {
  return combineCosts(cost, cost, (each) => each * factor);
}

/** Maximum depth of described causes. Longer chains are rare, except for cycles. */
const CAUSE_DEPTH = 8;

/**
 * Returns the loggable properties of a thrown value: type, message, code, stack, the table and constraint of a database
 * error, and the same of its causes and aggregated errors. Other properties are left out: a database error quotes its
 * row, with personal data. A value that is not an error is described as text.
 */
export function describeError(thrown: unknown): unknown {
  return describe(thrown, CAUSE_DEPTH);
}

function describe(thrown: unknown, depth: number): unknown {
  if (!(thrown instanceof Error)) return typeof thrown === 'string' ? thrown : { type: typeof thrown };
  const { cause } = thrown;
  return {
    type: thrown.constructor.name,
    message: thrown.message,
    ...('code' in thrown && isPlain(thrown.code) && { code: thrown.code }),
    ...('table' in thrown && isPlain(thrown.table) && { table: thrown.table }),
    ...('constraint' in thrown && isPlain(thrown.constraint) && { constraint: thrown.constraint }),
    stack: thrown.stack,
    ...(cause !== undefined && depth > 0 && { cause: describe(cause, depth - 1) }),
    ...(thrown instanceof AggregateError &&
      depth > 0 && { errors: thrown.errors.map((error: unknown) => describe(error, depth - 1)) }),
  };
}

function isPlain(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

/** Asserts what the code before it guarantees. A failure is a bug and ends the operation as `internal`. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (condition === undefined || condition === null || condition === false) {
    throw new Error(`broken invariant: ${message}`);
  }
}

/** Marks an unreachable branch of a closed union. Fails to compile if the union grows. */
export function assertNever(value: never): never {
  throw new Error(`broken invariant: unexpected ${JSON.stringify(value)}`);
}

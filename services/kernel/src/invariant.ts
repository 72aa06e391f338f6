/** Asserts what the code before it guarantees; a failure is a fault of ours and ends the operation as `internal`. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (condition === undefined || condition === null || condition === false) {
    throw new Error(`broken invariant: ${message}`);
  }
}

/** Marks the branch that a closed union can not reach; fails to compile when the union grows. */
export function assertNever(value: never): never {
  throw new Error(`broken invariant: unexpected ${JSON.stringify(value)}`);
}

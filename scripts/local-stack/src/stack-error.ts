/** A problem of the stack that its user can fix; the message names it. */
export class StackError extends Error {
  override readonly name = 'StackError';
}

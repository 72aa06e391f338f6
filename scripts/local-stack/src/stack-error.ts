/** Something about the stack that a person can mend; the message says what. */
export class StackError extends Error {
  override readonly name = 'StackError';
}

/** A step of the demo did not hold; the message says which and what came instead. */
export class DemoError extends Error {
  override readonly name = 'DemoError';
}

/** A step of the demo failed; the message names the step and the actual result. */
export class DemoError extends Error {
  override readonly name = 'DemoError';
}

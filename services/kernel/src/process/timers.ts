/** Runs a callback once after a delay in ms. Returns a function that cancels it. */
export type After = (milliseconds: number, then: () => void) => () => void;

/** {@link After} on the process's clock. Does not keep the process alive. */
export const afterMs: After = (milliseconds, then) => {
  const timer = setTimeout(then, milliseconds);
  timer.unref();
  return () => clearTimeout(timer);
};

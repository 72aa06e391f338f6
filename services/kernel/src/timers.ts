/** Does something once, after so many milliseconds, unless what it gives is called before. */
export type After = (milliseconds: number, then: () => void) => () => void;

/** {@link After} by the clock of the process. Does not keep the process alive. */
export const afterMs: After = (milliseconds, then) => {
  const timer = setTimeout(then, milliseconds);
  timer.unref();
  return () => clearTimeout(timer);
};

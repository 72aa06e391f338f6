export type Progress = (step: string) => void;

/** Writes each step with the seconds since the start. */
export function createProgress(write: (text: string) => void): Progress {
  const start = performance.now();
  return (step) => {
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    write(`[${seconds.padStart(5)} s] ${step}\n`);
  };
}

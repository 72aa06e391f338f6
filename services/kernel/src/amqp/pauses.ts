/** A group of pauses that can be ended together. */
export interface Pauses {
  /** Resolves to true after the time, or to false if the group is ended. */
  pause(milliseconds: number): Promise<boolean>;
  /** Ends all current pauses. */
  end(): void;
}

/** Creates a group of pauses. */
export function createPauses(): Pauses {
  const running = new Set<() => void>();
  return {
    pause(milliseconds) {
      return new Promise((resolve) => {
        const finish = (hasPassed: boolean) => {
          clearTimeout(timer);
          running.delete(cut);
          resolve(hasPassed);
        };
        const cut = () => finish(false);
        const timer = setTimeout(() => finish(true), milliseconds);
        running.add(cut);
      });
    },
    end() {
      for (const cut of running) cut();
    },
  };
}

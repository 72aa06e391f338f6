/** Gate where requests wait for the password dialog. Any number of requests share one dialog. */
interface ConfirmationGate {
  /** Waits for the password; false if the owner cancels. */
  requestPassword(): Promise<boolean>;
  /** Resolves all waiting requests. */
  settle(isConfirmed: boolean): void;
  isAsking(): boolean;
  /** Calls `listen` whenever `isAsking` changes. Returns a function that unsubscribes. */
  subscribe(listen: () => void): () => void;
}

/** Creates a gate without waiting requests. */
export function createConfirmationGate(): ConfirmationGate {
  let waiting:
    | { readonly promise: Promise<boolean>; readonly settle: (isConfirmed: boolean) => void }
    | undefined;
  const listeners = new Set<() => void>();
  const tell = () => listeners.forEach((listen) => listen());
  return {
    requestPassword() {
      if (waiting !== undefined) return waiting.promise;
      let settle: (isConfirmed: boolean) => void = () => undefined;
      const promise = new Promise<boolean>((resolve) => {
        settle = resolve;
      });
      waiting = { promise, settle };
      tell();
      return promise;
    },
    settle(isConfirmed) {
      waiting?.settle(isConfirmed);
      waiting = undefined;
      tell();
    },
    isAsking: () => waiting !== undefined,
    subscribe(listen) {
      listeners.add(listen);
      return () => listeners.delete(listen);
    },
  };
}

/** The gate of this page. */
export const confirmationGate = createConfirmationGate();

/** Something that a test can wait for until another part of it opens it. */
export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

/** Makes a closed gate. */
export function createGate(): Gate {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

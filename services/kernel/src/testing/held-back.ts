/** A gate that handlers wait for, and its key. */
export function heldBack(): { readonly gate: Promise<void>; readonly finish: () => void } {
  let finish: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    finish = resolve;
  });
  return { gate, finish: () => finish() };
}

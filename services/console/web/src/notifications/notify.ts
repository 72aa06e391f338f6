/** What the page says for a moment. The kind is its tone. */
export interface Toast {
  readonly number: number;
  readonly kind: 'status' | 'alert';
  readonly text: string;
}

const MAX_TOASTS = 4;
/** Until a dialog that closes with the action is gone: what is outside of it is silent. */
const SPOKEN_AFTER_MS = 100;

/** What is shown, what was spoken last of each kind, and the number of the last toast. */
interface Toasts {
  readonly shown: readonly Toast[];
  readonly spoken: Readonly<Partial<Record<Toast['kind'], Toast>>>;
  readonly last: number;
}

let toasts: Toasts = { shown: [], spoken: {}, last: 0 };
const listeners = new Set<() => void>();

function change(changes: Partial<Toasts>): void {
  toasts = { ...toasts, ...changes };
  listeners.forEach((listen) => listen());
}

/** Calls `listen` after each change of {@link currentToasts}, until the returned function is called. */
export function subscribeToToasts(listen: () => void): () => void {
  listeners.add(listen);
  return () => listeners.delete(listen);
}

/** Returns the toasts of now. */
export const currentToasts = (): Toasts => toasts;

/** Shows a success toast and announces it to screen readers. */
export const notifySuccess = (text: string) => show(announce(text));

/** Shows a failure toast and announces it to screen readers. It stays until it is dismissed. */
export const notifyFailure = (text: string) => show(announce(text, 'alert'));

function show(toast: Toast): void {
  change({ shown: [...toasts.shown, toast].slice(-MAX_TOASTS) });
}

/** Shows a toast no longer. */
export function dismiss(toast: Toast): void {
  change({ shown: toasts.shown.filter((each) => each !== toast) });
}

/** Makes screen readers say a text: at the next pause, or immediately for an alert. */
export function announce(text: string, kind: Toast['kind'] = 'status'): Toast {
  const toast = { number: toasts.last + 1, kind, text };
  change({ last: toast.number });
  setTimeout(() => change({ spoken: { ...toasts.spoken, [kind]: toast } }), SPOKEN_AFTER_MS);
  return toast;
}

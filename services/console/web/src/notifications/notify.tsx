import { IconAlertTriangle, IconCheck, IconX } from '@tabler/icons-react';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { ActionIcon } from '../parts/ui.js';
import classes from './notify.module.css';

/** What the page says for a moment. The kind is its tone. */
interface Toast {
  readonly number: number;
  readonly kind: 'status' | 'alert';
  readonly text: string;
}

const MAX_TOASTS = 4;
const SHOWN_MS = 6_000;
/** Until a dialog that closes with the action is gone: what is outside of it is silent. */
const SPOKEN_AFTER_MS = 100;

let toasts: readonly Toast[] = [];
let spoken: Readonly<Partial<Record<Toast['kind'], Toast>>> = {};
let last = 0;
const listeners = new Set<() => void>();

function change(): void {
  listeners.forEach((listen) => listen());
}

function subscribe(listen: () => void): () => void {
  listeners.add(listen);
  return () => listeners.delete(listen);
}

/** Shows a success toast and announces it to screen readers. */
export const notifySuccess = (text: string) => show(announce(text));

/** Shows a failure toast and announces it to screen readers. It stays until it is dismissed. */
export const notifyFailure = (text: string) => show(announce(text, 'alert'));

function show(toast: Toast): void {
  toasts = [...toasts, toast].slice(-MAX_TOASTS);
  change();
}

function dismiss(toast: Toast): void {
  toasts = toasts.filter((each) => each !== toast);
  change();
}

/** Makes screen readers say a text: at the next pause, or immediately for an alert. */
export function announce(text: string, kind: Toast['kind'] = 'status'): Toast {
  last += 1;
  const toast = { number: last, kind, text };
  setTimeout(() => {
    spoken = { ...spoken, [kind]: toast };
    change();
  }, SPOKEN_AFTER_MS);
  return toast;
}

/** Live regions of the announcements: of the page, and of each dialog, outside of which all is silent. They must exist before the first one. */
export function Announcer() {
  const element = useRef<HTMLDivElement>(null);
  const [first] = useState(last);
  const heard = useSyncExternalStore(subscribe, () => spoken);
  const topmost = [...document.querySelectorAll('dialog[open]')].at(-1) ?? null;
  const isOutside = element.current?.closest('dialog') !== topmost;
  return (
    <div className="visually-hidden" ref={element}>
      {(['status', 'alert'] as const).map((kind) => {
        const toast = heard[kind];
        return (
          <div key={kind} role={kind}>
            {toast !== undefined && toast.number > first && !isOutside && (
              <span key={toast.number}>{toast.text}</span>
            )}
          </div>
        );
      })}
    </div>
  );
}

/** The toasts. The announcer says what they say; an alert role would say it twice. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div className={classes['toasts']}>
      {shown.map((toast) => (
        <ToastView key={toast.number} toast={toast} />
      ))}
    </div>
  );
}

/** A toast, which stays while the pointer or the focus is on it. */
function ToastView({ toast }: { readonly toast: Toast }) {
  const [isHeld, setHeld] = useState(false);
  const isFailure = toast.kind === 'alert';
  useEffect(() => {
    if (isFailure || isHeld) return undefined;
    const timer = setTimeout(() => dismiss(toast), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [toast, isFailure, isHeld]);
  const Icon = isFailure ? IconAlertTriangle : IconCheck;
  const [hold, release] = [() => setHeld(true), () => setHeld(false)];
  return (
    <div
      role="group"
      aria-label={isFailure ? 'Failed' : 'Done'}
      className={classes['toast']}
      data-kind={toast.kind}
      onMouseEnter={hold}
      onMouseLeave={release}
      onFocus={hold}
      onBlur={release}
    >
      <Icon size={18} aria-hidden />
      <span>{toast.text}</span>
      <ActionIcon aria-label="Dismiss" onClick={() => dismiss(toast)}>
        <IconX size={16} aria-hidden />
      </ActionIcon>
    </div>
  );
}

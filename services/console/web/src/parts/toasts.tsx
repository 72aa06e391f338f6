import { IconAlertTriangle, IconCheck, IconX } from '@tabler/icons-react';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { currentToasts, dismiss, subscribeToToasts, type Toast } from '../notifications/notify.js';
import classes from './toasts.module.css';
import { ActionIcon } from './ui.js';

const SHOWN_MS = 6_000;

/** Live regions of the announcements: of the page, and of each dialog, outside of which all is silent. They must exist before the first one. */
export function Announcer() {
  const element = useRef<HTMLDivElement>(null);
  const [first] = useState(currentToasts().last);
  const spoken = useSyncExternalStore(subscribeToToasts, currentToasts).spoken;
  const topmost = [...document.querySelectorAll('dialog[open]')].at(-1) ?? null;
  const isOutside = element.current?.closest('dialog') !== topmost;
  return (
    <div className="visually-hidden" ref={element}>
      {(['status', 'alert'] as const).map((kind) => {
        const toast = spoken[kind];
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
  const { shown } = useSyncExternalStore(subscribeToToasts, currentToasts);
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

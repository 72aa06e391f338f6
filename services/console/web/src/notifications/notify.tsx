import { notifications } from '@mantine/notifications';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { VisuallyHidden } from '@mantine/core';
import { useSyncExternalStore } from 'react';

/** The announcer says what a toast says; an alert role would say it twice. */
const TOAST = { role: 'group', closeButtonProps: { 'aria-label': 'Dismiss' } } as const;

/** Shows a success toast and announces it to screen readers. */
export function notifySuccess(message: string): void {
  announce(message);
  notifications.show({
    ...TOAST,
    message,
    icon: <IconCheck size={18} aria-hidden />,
    color: 'accent',
    autoClose: 6_000,
    'aria-label': 'Done',
  });
}

/** Shows a failure toast and announces it to screen readers. It stays until it is dismissed. */
export function notifyFailure(message: string): void {
  announce(message, 'alert');
  notifications.show({
    ...TOAST,
    message,
    icon: <IconAlertTriangle size={18} aria-hidden />,
    color: 'red',
    autoClose: false,
    'aria-label': 'Failed',
  });
}

interface Announcement {
  /** Distinguishes two equal announcements. */
  readonly number: number;
  readonly text: string;
}

const NOTHING: Announcement = { number: 0, text: '' };
let spoken: Readonly<Record<'status' | 'alert', Announcement>> = { status: NOTHING, alert: NOTHING };
const listeners = new Set<() => void>();

/** Makes screen readers say a text: at the next pause, or at once for an alert. */
export function announce(text: string, kind: 'status' | 'alert' = 'status'): void {
  spoken = { ...spoken, [kind]: { number: spoken[kind].number + 1, text } };
  listeners.forEach((listen) => listen());
}

/** Live region of the announcements. It must exist before the first one, else that is not read out. */
export function Announcer() {
  const { status, alert } = useSyncExternalStore(subscribe, () => spoken);
  return (
    <VisuallyHidden>
      <div role="status">
        <span key={status.number}>{status.text}</span>
      </div>
      <div role="alert">
        <span key={alert.number}>{alert.text}</span>
      </div>
    </VisuallyHidden>
  );
}

function subscribe(listen: () => void): () => void {
  listeners.add(listen);
  return () => listeners.delete(listen);
}

import { VisuallyHidden } from '@mantine/core';
import { useSyncExternalStore } from 'react';

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

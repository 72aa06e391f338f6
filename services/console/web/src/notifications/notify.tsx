import { notifications } from '@mantine/notifications';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { announce } from './announcer.js';

/** The announcer says what a toast says; an alert role would say it twice. */
const TOAST = { role: 'group', closeButtonProps: { 'aria-label': 'Dismiss' } } as const;

/** Shows a success toast and announces it to screen readers. */
export function notifySuccess(message: string): void {
  announce(message);
  notifications.show({
    ...TOAST,
    message,
    icon: <IconCheck size={18} aria-hidden />,
    color: 'pine',
    autoClose: 6_000,
    'aria-label': 'Done',
  });
}

/** Shows a failure toast and announces it to screen readers. It stays until it is dismissed. */
export function notifyFailure(message: string, requestId: string | undefined): void {
  announce(message, 'alert');
  notifications.show({
    ...TOAST,
    title: message,
    message: requestId === undefined ? 'The change may not have been saved.' : `Request ${requestId}`,
    icon: <IconAlertTriangle size={18} aria-hidden />,
    color: 'red',
    autoClose: false,
    'aria-label': 'Failed',
  });
}

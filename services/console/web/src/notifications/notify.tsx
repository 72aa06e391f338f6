import { notifications } from '@mantine/notifications';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { announce } from './announcer.js';

/** Shows a success toast and announces it to screen readers. */
export function notifySuccess(message: string): void {
  announce(message);
  notifications.show({
    message,
    icon: <IconCheck size={18} aria-hidden />,
    color: 'pine',
    autoClose: 6_000,
    // The announcer says it; an alert role would say it twice.
    role: 'group',
    'aria-label': 'Done',
    closeButtonProps: { 'aria-label': 'Dismiss' },
  });
}

/** Shows a failure toast and announces it to screen readers. It stays until it is dismissed. */
export function notifyFailure(message: string, requestId: string | undefined): void {
  announce(message, 'alert');
  notifications.show({
    title: message,
    message: requestId === undefined ? 'The change may not have been saved.' : `Request ${requestId}`,
    icon: <IconAlertTriangle size={18} aria-hidden />,
    color: 'red',
    autoClose: false,
    role: 'group',
    'aria-label': 'Failed',
    closeButtonProps: { 'aria-label': 'Dismiss' },
  });
}

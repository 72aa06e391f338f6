import { notifications } from '@mantine/notifications';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { announce } from './announcer.js';

/** Tells, to be seen and to be heard, that something was done. */
export function notifySuccess(message: string): void {
  announce(message);
  notifications.show({
    message,
    icon: <IconCheck size={18} aria-hidden />,
    color: 'pine',
    autoClose: 6_000,
    // The announcer says it; as an alert it would be heard twice.
    role: 'group',
    'aria-label': 'Done',
    closeButtonProps: { 'aria-label': 'Dismiss' },
  });
}

/** Tells, to be seen and to be heard, that something failed. It stays until it is dismissed. */
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

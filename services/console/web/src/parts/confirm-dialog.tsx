import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';

/** Asks for confirmation of an action that is hard to undo. The default choice is to cancel. */
export function ConfirmDialog(props: {
  readonly isOpen: boolean;
  readonly title: string;
  /** Consequences of the action. */
  readonly children: ReactNode;
  /** Label of the action, e.g. `Delete webhook`. */
  readonly confirmLabel: string;
  readonly isDangerous?: boolean;
  readonly isRunning?: boolean;
  /** True while required input is missing. */
  readonly isBlocked?: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}) {
  const {
    isOpen,
    title,
    children,
    confirmLabel,
    isDangerous = false,
    isRunning = false,
    isBlocked = false,
  } = props;
  return (
    <Modal
      opened={isOpen}
      onClose={props.onClose}
      title={title}
      centered
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack>
        <div>{children}</div>
        <Group justify="flex-end">
          <Button variant="default" onClick={props.onClose} data-autofocus>
            Cancel
          </Button>
          <Button
            loading={isRunning}
            disabled={isBlocked}
            onClick={props.onConfirm}
            {...(isDangerous ? { color: 'red.9' } : {})}
          >
            {confirmLabel}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

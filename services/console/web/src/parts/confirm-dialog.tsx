import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { FormFailure } from './form-failure.js';

/** Asks for confirmation of an action that is hard to undo. The default choice is to cancel. */
export function ConfirmDialog(props: {
  readonly isOpen: boolean;
  readonly title: string;
  /** Consequences of the action. */
  readonly children: ReactNode;
  /** Label of the action, e.g. `Delete webhook`. */
  readonly confirmLabel: string;
  /** Label of the other choice. */
  readonly cancelLabel?: string;
  readonly isDangerous?: boolean;
  readonly isRunning?: boolean;
  /** True while required input is missing. */
  readonly isBlocked?: boolean;
  /** Why the action failed. */
  readonly error?: unknown;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}) {
  const {
    isOpen,
    title,
    children,
    confirmLabel,
    cancelLabel = 'Cancel',
    isDangerous = false,
    isRunning = false,
    isBlocked = false,
    error = null,
  } = props;
  return (
    <Modal opened={isOpen} onClose={props.onClose} title={title}>
      <Stack>
        <div>{children}</div>
        <FormFailure error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={props.onClose} data-autofocus>
            {cancelLabel}
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

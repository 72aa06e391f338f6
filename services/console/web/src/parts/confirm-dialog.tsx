import { Button, type ButtonProps, Modal } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Form, type FormAction } from './form.js';

const NO_ACTION: FormAction = { isRunning: false, error: null };

interface Question {
  readonly title: string;
  /** Consequences of the action. */
  readonly children: ReactNode;
  /** Label of the action, e.g. `Delete webhook`. */
  readonly confirmLabel: string;
  /** Label of the other choice. */
  readonly cancelLabel?: string;
  readonly isDangerous?: boolean;
  /** True while required input is missing. */
  readonly isBlocked?: boolean;
}

/** Asks for confirmation of an action that is hard to undo. The default choice is to cancel. */
export function ConfirmDialog(
  props: Question & {
    readonly isOpen: boolean;
    readonly action?: FormAction;
    readonly onConfirm: () => void;
    readonly onClose: () => void;
  },
) {
  const {
    isOpen,
    title,
    confirmLabel,
    action = NO_ACTION,
    isDangerous,
    isBlocked,
    onClose,
    children,
  } = props;
  return (
    <Modal opened={isOpen} onClose={onClose} title={title}>
      <Form
        action={action}
        submitLabel={confirmLabel}
        button={{ disabled: isBlocked === true, ...(isDangerous === true && { color: 'red.9' }) }}
        {...(props.cancelLabel !== undefined && { cancelLabel: props.cancelLabel })}
        isRisky
        onSubmit={props.onConfirm}
        onCancel={onClose}
      >
        <div>{children}</div>
      </Form>
    </Modal>
  );
}

/** A button whose action starts after a confirmation. */
export function ConfirmedButton<Given>(
  props: Question & {
    readonly label: string;
    readonly button?: ButtonProps & { readonly 'aria-label'?: string };
    readonly action: FormAction & {
      run: (given: Given, after: { readonly onSuccess: () => void }) => void;
    };
    readonly given: Given;
    readonly onOpen?: () => void;
  },
) {
  const { label, button, action, given, onOpen, ...question } = props;
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button
        variant="default"
        {...button}
        onClick={() => {
          onOpen?.();
          setOpen(true);
        }}
      >
        {label}
      </Button>
      <ConfirmDialog
        {...question}
        isOpen={isOpen}
        action={action}
        onConfirm={() => action.run(given, { onSuccess: close })}
        onClose={close}
      />
    </>
  );
}

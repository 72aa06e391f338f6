import {
  Box,
  type BoxProps,
  Button,
  type ButtonProps,
  Code,
  Group,
  PasswordInput,
  type PasswordInputProps,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { type ChangeEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { ApiError, messageOf, violationsByField } from '../api/api-error.js';
import { Notice } from './page.js';

/** The state of an action that a form starts. */
export interface FormAction {
  readonly isRunning: boolean;
  readonly error: unknown;
}

/** A form that starts an action: its fields, why the action failed, and the buttons. With `onCancel` one of them cancels. */
export function Form(props: {
  readonly action: FormAction;
  readonly submitLabel: string;
  /** For the button that submits. */
  readonly button?: ButtonProps;
  readonly cancelLabel?: string;
  /** Whether a dialog begins with the focus on the button that cancels. */
  readonly isRisky?: boolean;
  /** Whether a field shows why the action failed. */
  readonly isExplained?: boolean;
  /** Buttons of other actions. */
  readonly others?: ReactNode;
  readonly maw?: number;
  readonly onSubmit: () => void;
  readonly onCancel?: (() => void) | undefined;
  readonly children: ReactNode;
}) {
  const { action, button, cancelLabel = 'Cancel', isExplained = false, others, onCancel } = props;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        props.onSubmit();
      }}
    >
      <Stack {...(props.maw !== undefined && { maw: props.maw })}>
        {props.children}
        {!isExplained && <FormFailure error={action.error} />}
        <Group justify={onCancel === undefined && others === undefined ? 'flex-start' : 'flex-end'}>
          {others}
          {onCancel !== undefined && (
            <Button variant="default" onClick={onCancel} {...(props.isRisky && { 'data-autofocus': true })}>
              {cancelLabel}
            </Button>
          )}
          <Button type="submit" loading={action.isRunning} {...button}>
            {props.submitLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** The texts of a form's fields, and for each field its props. The violations are those of the failed action. */
export function useFields<Values extends Readonly<Record<string, string>>>(initial: Values, error: unknown) {
  const [values, setValues] = useState(initial);
  const violations = violationsByField(error);
  const field = (name: keyof Values & string) => ({
    value: values[name],
    error: violations[name],
    onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement | HTMLSelectElement>) =>
      setValues({ ...values, [name]: currentTarget.value }),
  });
  return { values, violations, field, clear: () => setValues(initial) };
}

/**
 * Why an action failed; nothing if the owner cancelled the password dialog. It stands above the button, and the page scrolls to it.
 */
export function FormFailure({ error, mb }: { readonly error: unknown; readonly mb?: BoxProps['mb'] }) {
  const shown = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Newer browsers return a promise, which is no clean-up function of the effect.
    shown.current?.scrollIntoView({ block: 'nearest' });
  }, [error]);
  if (error === null || (error instanceof ApiError && error.code === 'confirmation_required')) return null;
  return (
    <Box ref={shown} {...(mb !== undefined && { mb })}>
      <Notice tone="bad" title={messageOf(error)} isAlert>
        <RequestId error={error} />
      </Notice>
    </Box>
  );
}

/** The id of a failed request, for support; nothing without one. */
export function RequestId({ error }: { readonly error: unknown }) {
  if (!(error instanceof ApiError) || error.requestId === undefined) return null;
  return (
    <Text size="sm">
      Request ID for support: <Code>{error.requestId}</Code>
    </Text>
  );
}

/** Asks for a code of the second factor. */
export function CodeForm({
  description = 'The 6 digits of your authenticator app, or a recovery code',
  onSubmit,
  ...form
}: Pick<Parameters<typeof Form>[0], 'action' | 'submitLabel' | 'button' | 'cancelLabel' | 'onCancel'> & {
  readonly description?: string;
  readonly onSubmit: (code: string) => void;
}) {
  const [code, setCode] = useState('');
  return (
    <Form {...form} onSubmit={() => onSubmit(code)}>
      <TextInput
        label="Code"
        description={description}
        value={code}
        onChange={({ currentTarget }) => setCode(currentTarget.value)}
        autoComplete="one-time-code"
        autoCapitalize="none"
        spellCheck={false}
        minLength={6}
        maxLength={40}
        required
        data-autofocus
        autoFocus
      />
    </Form>
  );
}

/** A required field for a password. */
export function PasswordField(props: PasswordInputProps & { readonly label: string }) {
  const toggle = { 'aria-label': `Show the ${props.label.toLowerCase()}` };
  return <PasswordInput required visibilityToggleButtonProps={toggle} {...props} />;
}

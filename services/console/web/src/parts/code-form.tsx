import { Button, Group, Stack, TextInput } from '@mantine/core';
import { type ReactNode, type SubmitEvent, useState } from 'react';
import { FormFailure } from './form-failure.js';

/** Asks for a code of the second factor. `cancel` is shown beside the button. */
export function CodeForm(props: {
  readonly description: string;
  readonly submitLabel: string;
  readonly isDangerous?: boolean;
  readonly isRunning: boolean;
  readonly error: unknown;
  readonly cancel?: ReactNode;
  readonly onSubmit: (code: string) => void;
}) {
  const [code, setCode] = useState('');
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    props.onSubmit(code);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Code"
          description={props.description}
          value={code}
          onChange={({ currentTarget }) => setCode(currentTarget.value)}
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          minLength={6}
          maxLength={40}
          required
          withAsterisk={false}
          data-autofocus
          autoFocus
        />
        <FormFailure error={props.error} />
        <Group justify="flex-end">
          {props.cancel}
          <Button
            type="submit"
            loading={props.isRunning}
            {...(props.isDangerous === true ? { color: 'red.9' } : {})}
          >
            {props.submitLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

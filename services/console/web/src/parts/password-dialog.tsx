import { Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core';
import { sessionResponse } from '@partner/proto-contracts/resources/session/session';
import { type SubmitEvent, useState, useSyncExternalStore } from 'react';
import type { ConfirmationGate } from '../api/confirmation-gate.js';
import { useAction } from '../api/use-action.js';
import { FormFailure } from './form-failure.js';

/** Asks for the password while requests wait at the gate. */
export function PasswordDialog({ gate }: { readonly gate: ConfirmationGate }) {
  const isAsking = useSyncExternalStore(gate.subscribe, gate.isAsking);
  return (
    <Modal
      opened={isAsking}
      onClose={() => gate.settle(false)}
      title="Confirm your password"
      centered
      zIndex={400}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <PasswordForm gate={gate} />
    </Modal>
  );
}

function PasswordForm({ gate }: { readonly gate: ConfirmationGate }) {
  const [password, setPassword] = useState('');
  const confirmation = useAction({
    act: (api, given: string) =>
      api.read(sessionResponse, { method: 'POST', path: '/session/confirm', body: { password: given } }),
    onDone: () => gate.settle(true),
    notifiesFailure: false,
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    confirmation.run(password);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>This requires your password if you have not entered it in the last 15 minutes.</Text>
        <PasswordInput
          label="Password"
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          autoComplete="current-password"
          required
          withAsterisk={false}
          data-autofocus
          visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
        />
        <FormFailure error={confirmation.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={() => gate.settle(false)}>
            Cancel
          </Button>
          <Button type="submit" loading={confirmation.isRunning}>
            Confirm
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

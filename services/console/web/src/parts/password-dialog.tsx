import { Anchor, Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core';
import { type SubmitEvent, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { ConfirmationGate } from '../api/confirmation-gate.js';
import { useSignInMethods } from '../api/provider-sign-in.js';
import { useAction } from '../api/use-action.js';
import { onConfirmed } from '../confirmed-elsewhere.js';
import { pageProviderName } from '../page-settings.js';
import { FormFailure } from './form-failure.js';
import { Loading } from './loading.js';

/** Asks for the password while requests wait at the gate. */
export function PasswordDialog({ gate }: { readonly gate: ConfirmationGate }) {
  const isAsking = useSyncExternalStore(gate.subscribe, gate.isAsking);
  return (
    <Modal
      opened={isAsking}
      onClose={() => gate.settle(false)}
      title={pageProviderName() === '' ? 'Confirm your password' : 'Confirm that it is you'}
      zIndex={400}
    >
      <Confirmation gate={gate} />
    </Modal>
  );
}

/** Offers what the owner signs in with. The password comes first: it needs no other page. */
function Confirmation({ gate }: { readonly gate: ConfirmationGate }) {
  const { data, isLoading } = useSignInMethods();
  if (isLoading) return <Loading label="Loading how you sign in" rows={2} />;
  const hasPassword = data?.hasPassword !== false;
  const provider = data?.provider ?? null;
  return (
    <Stack>
      {hasPassword && <PasswordForm gate={gate} />}
      {provider !== null && provider.linkedAt !== null && (
        <ProviderForm
          gate={gate}
          name={provider.name}
          introduction={`${hasPassword ? 'Or sign' : 'Sign'} in again with ${provider.name} in a new tab. This page then continues.`}
        />
      )}
    </Stack>
  );
}

/** Signs the owner in again in another tab, so that this page keeps what was entered. */
function ProviderForm({
  gate,
  name,
  introduction,
}: {
  readonly gate: ConfirmationGate;
  readonly name: string;
  readonly introduction: string;
}) {
  useEffect(() => onConfirmed(() => gate.settle(true)), [gate]);
  const tab = useRef<Window | null>(null);
  const [blockedUrl, setBlockedUrl] = useState<string>();
  const beginning = useAction('beginProviderConfirmation', {
    onDone: ({ authorizationUrl }) => {
      if (tab.current === null) setBlockedUrl(authorizationUrl);
      else tab.current.location.replace(authorizationUrl);
    },
  });
  const open = () => {
    // Before the request: browsers block a tab that does not open with the click.
    tab.current = window.open('about:blank', '_blank');
    if (tab.current !== null) tab.current.opener = null;
    beginning.run({}, { onError: () => tab.current?.close() });
  };
  return (
    <Stack>
      <Text>{introduction}</Text>
      <FormFailure error={beginning.error} />
      {blockedUrl === undefined ? (
        <Button variant="default" loading={beginning.isRunning} onClick={open}>
          {`Continue with ${name}`}
        </Button>
      ) : (
        <Anchor href={blockedUrl} target="_blank" rel="noopener">{`Open ${name}`}</Anchor>
      )}
    </Stack>
  );
}

function PasswordForm({ gate }: { readonly gate: ConfirmationGate }) {
  const [password, setPassword] = useState('');
  const confirmation = useAction('confirmSession', { onDone: () => gate.settle(true) });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    confirmation.run({ body: { password } });
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

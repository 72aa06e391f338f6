import { Anchor, Button, Modal, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { ConfirmationGate } from '../api/confirmation-gate.js';
import { onConfirmed, useSignInMethods } from '../api/session.js';
import { useAction } from '../api/hooks.js';
import { pageProviderName } from '../page-settings.js';
import { Form, FormFailure, PasswordField, useFields } from './form.js';
import { Loading } from './page.js';

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
  const confirmation = useAction('confirmSession', { onDone: () => gate.settle(true) });
  const { values, field } = useFields({ password: '' }, null);
  return (
    <Form
      action={confirmation}
      submitLabel="Confirm"
      onSubmit={() => confirmation.run({ body: values })}
      onCancel={() => gate.settle(false)}
    >
      <Text>This requires your password if you have not entered it in the last 15 minutes.</Text>
      <PasswordField label="Password" autoComplete="current-password" {...field('password')} data-autofocus />
    </Form>
  );
}

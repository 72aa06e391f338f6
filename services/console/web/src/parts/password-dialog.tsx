import { Anchor, Button, Modal, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { confirmationGate } from '../api/confirmation-gate.js';
import { onConfirmed, useSignInMethods } from '../api/session.js';
import { useAction } from '../api/hooks.js';
import { pageProviderName } from '../page-settings.js';
import { Form, FormFailure, PasswordField, useFields } from './form.js';
import { Loading } from './page.js';

/** Asks for the password while requests wait at the gate. Without a session they have nothing to wait for. */
export function PasswordDialog() {
  const isAsking = useSyncExternalStore(confirmationGate.subscribe, confirmationGate.isAsking);
  useEffect(() => () => confirmationGate.settle(false), []);
  return (
    <Modal
      opened={isAsking}
      onClose={() => confirmationGate.settle(false)}
      title={pageProviderName() === '' ? 'Confirm your password' : 'Confirm that it is you'}
      zIndex={400}
    >
      <Confirmation />
    </Modal>
  );
}

/** Offers what the owner signs in with. The password comes first: it needs no other page. */
function Confirmation() {
  const { data, isLoading } = useSignInMethods();
  if (isLoading) return <Loading label="Loading how you sign in" rows={2} />;
  const hasPassword = data?.hasPassword !== false;
  const provider = data?.provider ?? null;
  return (
    <Stack>
      {hasPassword && <PasswordForm />}
      {provider !== null && provider.linkedAt !== null && (
        <ProviderForm
          name={provider.name}
          introduction={`${hasPassword ? 'Or sign' : 'Sign'} in again with ${provider.name} in a new tab. This page then continues.`}
        />
      )}
    </Stack>
  );
}

/** Signs the owner in again in another tab, so that this page keeps what was entered. */
function ProviderForm(props: { readonly name: string; readonly introduction: string }) {
  const { name, introduction } = props;
  useEffect(() => onConfirmed(() => confirmationGate.settle(true)), []);
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

function PasswordForm() {
  const confirmation = useAction('confirmSession', { onDone: () => confirmationGate.settle(true) });
  const { values, field } = useFields({ password: '' }, null);
  return (
    <Form
      action={confirmation}
      submitLabel="Confirm"
      onSubmit={() => confirmation.run({ body: values })}
      onCancel={() => confirmationGate.settle(false)}
    >
      <Text>This requires your password if you have not entered it in the last 15 minutes.</Text>
      <PasswordField label="Password" autoComplete="current-password" {...field('password')} data-autofocus />
    </Form>
  );
}

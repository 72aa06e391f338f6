import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type SubmitEvent, useState } from 'react';
import type { Output } from '../../api/operations.js';
import { useAction } from '../../api/use-action.js';
import { useOperation } from '../../api/use-operation.js';
import { QueryView } from '../../parts/query-view.js';
import { FormFailure } from '../../parts/form-failure.js';
import { Notice } from '../../parts/notice.js';
import { PageHeader } from '../../parts/page-header.js';
import { OwnerOnly } from '../../parts/owner-only.js';
import { Panel } from '../../parts/panel.js';
import { DueTime, PastTime } from '../../parts/relative-time.js';

/** Page of the technical contact. */
export function Page() {
  const contact = useOperation('getTechnicalContact', {});
  return (
    <>
      <PageHeader
        title="Technical contact"
        description="Receives announcements of new versions and changes of the API by email."
      />
      <QueryView query={contact} label="the technical contact">
        {(data) => <Contact contact={data} />}
      </QueryView>
    </>
  );
}

function Contact({ contact }: { readonly contact: Output<'getTechnicalContact'> }) {
  const { email, confirmedAt, pending } = contact;
  return (
    <Stack gap="md">
      {email === null ? (
        <Notice tone="warn" title="No address is confirmed">
          Your company does not receive announcements of new versions.
        </Notice>
      ) : (
        <Panel title="Confirmed address">
          <Text>{email}</Text>
          {confirmedAt !== null && (
            <Text size="sm" c="dimmed" component="div">
              Confirmed <PastTime at={confirmedAt} />
            </Text>
          )}
        </Panel>
      )}
      {pending !== null && (
        <Notice tone="info" title={`${pending.email} is pending`}>
          Open the link in the email to confirm the address. It expires <DueTime at={pending.expiresAt} />.
        </Notice>
      )}
      <OwnerOnly>
        <ContactForm />
      </OwnerOnly>
    </Stack>
  );
}

function ContactForm() {
  const [email, setEmail] = useState('');
  const set = useAction('setTechnicalContact');
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    set.run({ body: { email } });
  };
  return (
    <Panel title="Set an address">
      <form onSubmit={submit}>
        <Stack>
          {set.response?.emailSent === true && <Notice tone="good" title="Confirmation link sent" isAlert />}
          {set.response?.emailSent === false && (
            <Notice tone="warn" title="The address is pending, but no email was sent" isAlert>
              This service has no mail server. Without the link the address cannot be confirmed.
            </Notice>
          )}
          <TextInput
            label="Email address"
            description="The confirmed address stays until the new one is confirmed"
            type="email"
            value={email}
            onChange={({ currentTarget }) => setEmail(currentTarget.value)}
            required
            withAsterisk={false}
          />
          <FormFailure error={set.error} />
          <Group>
            <Button type="submit" loading={set.isRunning}>
              Send confirmation link
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}

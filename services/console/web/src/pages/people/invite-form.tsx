import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { role as roles } from '@partner/proto-contracts/api/roles';
import { type SubmitEvent, useState } from 'react';
import { violationsByField } from '../../api/api-error.js';
import { useAction } from '../../api/use-action.js';
import { pageSendsMail } from '../../page-settings.js';
import { FormFailure } from '../../parts/form-failure.js';
import { Notice } from '../../parts/notice.js';
import { Panel } from '../../parts/panel.js';

/** The roles as choices. */
export const ROLE_OPTIONS = [
  { value: 'viewer', label: 'Viewer' },
  { value: 'owner', label: 'Owner' },
];

const EMPTY = { displayName: '', email: '', role: roles.parse('viewer') };

/** The form that invites a person. */
export function InviteForm() {
  const [person, setPerson] = useState(EMPTY);
  const add = useAction('addColleague', { done: 'Invitation sent', onDone: () => setPerson(EMPTY) });
  const violations = violationsByField(add.error);
  if (!pageSendsMail()) {
    return (
      <Notice tone="info" title="The operator of the service adds people">
        This service has no mail server for invitations.
      </Notice>
    );
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    add.run({ body: person });
  };
  return (
    <Panel title="Invite a person">
      <form onSubmit={submit}>
        <Stack maw={440}>
          <TextInput
            label="Name"
            value={person.displayName}
            onChange={({ currentTarget }) => setPerson({ ...person, displayName: currentTarget.value })}
            error={violations['displayName']}
            required
            withAsterisk={false}
          />
          <TextInput
            label="Email address"
            description="Receives a link to set the password. Invite the person again for a new link."
            type="email"
            value={person.email}
            onChange={({ currentTarget }) => setPerson({ ...person, email: currentTarget.value })}
            error={violations['email']}
            required
            withAsterisk={false}
          />
          <NativeSelect
            label="Role"
            description="An owner can change everything, a viewer can only read."
            data={ROLE_OPTIONS}
            value={person.role}
            onChange={({ currentTarget }) => setPerson({ ...person, role: roles.parse(currentTarget.value) })}
          />
          {Object.keys(violations).length === 0 && <FormFailure error={add.error} />}
          <Group>
            <Button type="submit" loading={add.isRunning}>
              Send invitation
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}

import { NativeSelect, TextInput } from '@mantine/core';
import { role as roles } from '@partner/proto-contracts/api/roles';
import { useAction } from '../../api/hooks.js';
import { pageSendsMail } from '../../page-settings.js';
import { Form, useFields } from '../../parts/form.js';
import { Notice, Panel } from '../../parts/page.js';

/** The roles as choices. */
export const ROLE_OPTIONS = [
  { value: 'viewer', label: 'Viewer' },
  { value: 'owner', label: 'Owner' },
];

const EMPTY = { displayName: '', email: '', role: 'viewer' };

/** The form that invites a person. */
export function InviteForm() {
  const add = useAction('addColleague', { done: 'Invitation sent', onDone: () => clear() });
  const { values, violations, field, clear } = useFields(EMPTY, add.error);
  if (!pageSendsMail()) {
    return (
      <Notice tone="info" title="The operator of the service adds people">
        This service has no mail server for invitations.
      </Notice>
    );
  }
  return (
    <Panel title="Invite a person">
      <Form
        action={add}
        submitLabel="Send invitation"
        isExplained={Object.keys(violations).length > 0}
        maw={440}
        onSubmit={() => add.run({ body: { ...values, role: roles.parse(values.role) } })}
      >
        <TextInput label="Name" {...field('displayName')} required />
        <TextInput
          label="Email address"
          description="Receives a link to set the password. Invite the person again for a new link."
          type="email"
          {...field('email')}
          required
        />
        <NativeSelect
          label="Role"
          description="An owner can change everything, a viewer can only read."
          data={ROLE_OPTIONS}
          {...field('role')}
        />
      </Form>
    </Panel>
  );
}

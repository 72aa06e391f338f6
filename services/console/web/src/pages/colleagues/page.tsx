import { Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { role as roles } from '@partner/proto-contracts/api/roles';
import { type Output, useAction, useOperation } from '../../api/hooks.js';
import { pageProviderName, pageSendsMail } from '../../page-settings.js';
import { ConfirmedButton, EmailField, Form, FormFailure, useFields } from '../../parts/form.js';
import { DataTable } from '../../parts/data.js';
import { Notice, OwnerOnly, PageHeader, Panel, QueryView, useOwner } from '../../parts/page.js';

type Colleague = Output<'listColleagues'>['colleagues'][number];

/** Page of the colleagues of the company. */
export function Page() {
  const colleagues = useOperation('listColleagues', {});
  return (
    <>
      <PageHeader title="People" description="Who can sign in to the console of your company." />
      <QueryView query={colleagues} label="the people of your company">
        {(data) => <Colleagues colleagues={data.colleagues} />}
      </QueryView>
    </>
  );
}

function Colleagues({ colleagues }: { readonly colleagues: readonly Colleague[] }) {
  const isOwner = useOwner().owner.role === 'owner';
  return (
    <Stack gap="md">
      <DataTable
        caption="People of your company, oldest first"
        rows={colleagues}
        rowKey={({ membershipId }) => membershipId}
        columns={{
          Name: ({ displayName }) => displayName,
          'Email address': ({ email }) => email ?? 'None',
          Role: (colleague) =>
            isOwner ? (
              <RoleSelect colleague={colleague} />
            ) : (
              ROLE_OPTIONS.find(({ value }) => value === colleague.role)?.label
            ),
          Password: ({ hasPassword, isLinked }) => {
            if (hasPassword) return 'Set';
            return isLinked ? `None, signs in with ${pageProviderName()}` : 'Not set yet';
          },
          'Two-factor': ({ hasSecondFactor }) => (hasSecondFactor ? 'On' : 'Off'),
          ...(isOwner && { Action: (colleague: Colleague) => <ColleagueActions colleague={colleague} /> }),
        }}
      />
      <OwnerOnly>
        <InviteForm />
      </OwnerOnly>
    </Stack>
  );
}

function ColleagueActions({ colleague }: { readonly colleague: Colleague }) {
  const { membershipId, displayName, hasSecondFactor } = colleague;
  const { owner } = useOwner();
  const remove = useAction('removeColleague', { done: 'Access removed' });
  const reset = useAction('resetColleagueSecondFactor', { done: 'Two-factor authentication reset' });
  const given = { params: { id: membershipId } };
  return (
    <Group gap="xs" wrap="nowrap">
      {hasSecondFactor && membershipId !== owner.membershipId && (
        <ConfirmedButton
          label="Reset two-factor"
          button={{ size: 'xs', 'aria-label': `Reset two-factor authentication of ${displayName}` }}
          title={`Reset two-factor authentication of ${displayName}?`}
          confirmLabel="Reset"
          isDangerous
          action={reset}
          given={given}
        >
          Their sessions end, and they sign in without a code until they set it up again. Check first that the
          request comes from them.
        </ConfirmedButton>
      )}
      <ConfirmedButton
        label="Remove"
        button={{ size: 'xs', 'aria-label': `Remove ${displayName}` }}
        title={`Remove ${displayName}?`}
        confirmLabel="Remove"
        isDangerous
        action={remove}
        given={given}
      >
        Their sessions end, and they cannot sign in. You can invite them again.
      </ConfirmedButton>
    </Group>
  );
}

function RoleSelect({ colleague }: { readonly colleague: Colleague }) {
  const { membershipId, displayName, role } = colleague;
  const setRole = useAction('setColleagueRole', { done: 'Role changed' });
  return (
    <Stack gap="xs">
      <NativeSelect
        aria-label={`Role of ${displayName}`}
        miw="7rem"
        data={ROLE_OPTIONS}
        value={role}
        disabled={setRole.isRunning}
        onChange={({ currentTarget }) =>
          setRole.run({
            params: { id: membershipId },
            body: { role: roles.parse(currentTarget.value) },
          })
        }
      />
      <FormFailure error={setRole.error} />
    </Stack>
  );
}

/** The roles as choices. */
const ROLE_OPTIONS = [
  { value: 'viewer', label: 'Viewer' },
  { value: 'owner', label: 'Owner' },
];

const EMPTY = { displayName: '', email: '', role: 'viewer' };

/** The form that invites a colleague. */
function InviteForm() {
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
        <EmailField
          description="Receives a link to set the password. Invite the person again for a new link."
          {...field('email')}
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

import { Button, Group, Menu, NativeSelect, Stack, TextInput } from '@mantine/core';
import { role as roles } from '@partner/proto-contracts/api/roles';
import { IconChevronDown } from '@tabler/icons-react';
import { useState } from 'react';
import { type Output, useAction, useOperation } from '../../api/hooks.js';
import { pageProviderName, pageSendsMail } from '../../page-settings.js';
import { ConfirmDialog, ConfirmedButton, EmailField, Form, useFields } from '../../parts/form.js';
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
  const { owner } = useOwner();
  const isOwner = owner.role === 'owner';
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
            isOwner && colleague.membershipId !== owner.membershipId ? (
              <RoleMenu colleague={colleague} />
            ) : (
              roleLabel(colleague.role)
            ),
          Password: ({ hasPassword, isLinked }) => {
            if (hasPassword) return 'Set';
            return isLinked ? `None, signs in with ${pageProviderName()}` : 'Not set yet';
          },
          'Two-factor': ({ hasSecondFactor }) => (hasSecondFactor ? 'On' : 'Off'),
          ...(isOwner && {
            Action: (colleague: Colleague) =>
              colleague.membershipId === owner.membershipId ? (
                'You'
              ) : (
                <ColleagueActions colleague={colleague} />
              ),
          }),
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
  const remove = useAction('removeColleague', { done: 'Access removed' });
  const reset = useAction('resetColleagueSecondFactor', { done: 'Two-factor authentication reset' });
  const given = { params: { id: membershipId } };
  return (
    <Group gap="xs" wrap="nowrap">
      {hasSecondFactor && (
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

/** The role of another person. A change takes a confirmation, so that no single key makes it. */
function RoleMenu({ colleague }: { readonly colleague: Colleague }) {
  const { membershipId, displayName, role } = colleague;
  const setRole = useAction('setColleagueRole', { done: 'Role changed' });
  const [next, setNext] = useState(role);
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Menu>
        <Menu.Target>
          <Button
            variant="default"
            size="xs"
            rightSection={<IconChevronDown size={14} aria-hidden />}
            aria-label={`Role of ${displayName}: ${roleLabel(role)}`}
          >
            {roleLabel(role)}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.RadioGroup
            value={role}
            onChange={(picked) => {
              if (picked === role) return;
              setRole.reset();
              setNext(roles.parse(picked));
              setOpen(true);
            }}
          >
            {ROLE_OPTIONS.map(({ value, label }) => (
              <Menu.RadioItem key={value} value={value} closeMenuOnClick>
                {label}
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
        </Menu.Dropdown>
      </Menu>
      <ConfirmDialog
        title={`Make ${displayName} ${next === 'owner' ? 'an owner' : 'a viewer'}?`}
        confirmLabel={`Make ${next}`}
        isOpen={isOpen}
        action={setRole}
        onConfirm={() =>
          setRole.run({ params: { id: membershipId }, body: { role: next } }, { onSuccess: close })
        }
        onClose={close}
      >
        {next === 'owner'
          ? 'They can then change webhooks and API keys, and invite or remove people, including you.'
          : 'They can then read everything and change nothing.'}
        {' Their sessions end.'}
      </ConfirmDialog>
    </>
  );
}

/** The roles as choices. */
const ROLE_OPTIONS = [
  { value: 'viewer', label: 'Viewer' },
  { value: 'owner', label: 'Owner' },
];

const roleLabel = (role: Colleague['role']) =>
  ROLE_OPTIONS.find(({ value }) => value === role)?.label ?? role;

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

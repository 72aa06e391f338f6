import { Button, Group, NativeSelect, Stack } from '@mantine/core';
import { role as roles } from '@partner/proto-contracts/api/roles';
import { useState } from 'react';
import type { Output } from '../../api/operations.js';
import { useAction } from '../../api/use-action.js';
import { useOperation } from '../../api/use-operation.js';
import { pageProviderName } from '../../page-settings.js';
import { ConfirmDialog } from '../../parts/confirm-dialog.js';
import { DataTable } from '../../parts/data-table.js';
import { FormFailure } from '../../parts/form-failure.js';
import { useOwner } from '../../parts/owner-context.js';
import { OwnerOnly } from '../../parts/owner-only.js';
import { PageHeader } from '../../parts/page-header.js';
import { QueryView } from '../../parts/query-view.js';
import { InviteForm, ROLE_OPTIONS } from './invite-form.js';

type Colleague = Output<'listColleagues'>['colleagues'][number];

/** Page of the people of the company. */
export function Page() {
  const colleagues = useOperation('listColleagues', {});
  return (
    <>
      <PageHeader title="People" description="Who can sign in to the console of your company." />
      <QueryView query={colleagues} label="the people of your company">
        {(data) => <People people={data.colleagues} />}
      </QueryView>
    </>
  );
}

function People({ people }: { readonly people: readonly Colleague[] }) {
  const { role, membershipId: ownId } = useOwner().owner;
  const isOwner = role === 'owner';
  const [removed, setRemoved] = useState<Colleague>();
  const remove = useAction('removeColleague', {
    done: 'Access removed',
    onDone: () => setRemoved(undefined),
  });
  const [locked, setLocked] = useState<Colleague>();
  const reset = useAction('resetColleagueSecondFactor', {
    done: 'Two-factor authentication reset',
    onDone: () => setLocked(undefined),
  });
  const action = {
    header: 'Action',
    cell: (person: Colleague) => (
      <Group gap="xs" wrap="nowrap">
        {person.hasSecondFactor && person.membershipId !== ownId && (
          <Button
            size="xs"
            variant="default"
            aria-label={`Reset two-factor authentication of ${person.displayName}`}
            onClick={() => setLocked(person)}
          >
            Reset two-factor
          </Button>
        )}
        <Button
          size="xs"
          variant="default"
          aria-label={`Remove ${person.displayName}`}
          onClick={() => setRemoved(person)}
        >
          Remove
        </Button>
      </Group>
    ),
  };
  return (
    <Stack gap="md">
      <DataTable
        caption="People of your company, oldest first"
        rows={people}
        rowKey={({ membershipId }) => membershipId}
        columns={[
          { header: 'Name', isName: true, cell: ({ displayName }) => displayName },
          { header: 'Email address', cell: ({ email }) => email ?? 'None' },
          {
            header: 'Role',
            cell: (person) =>
              isOwner ? (
                <RoleSelect person={person} />
              ) : (
                ROLE_OPTIONS.find(({ value }) => value === person.role)?.label
              ),
          },
          {
            header: 'Password',
            cell: ({ hasPassword, isLinked }) => {
              if (hasPassword) return 'Set';
              return isLinked ? `None, signs in with ${pageProviderName()}` : 'Not set yet';
            },
          },
          { header: 'Two-factor', cell: ({ hasSecondFactor }) => (hasSecondFactor ? 'On' : 'Off') },
          ...(isOwner ? [action] : []),
        ]}
      />
      <OwnerOnly>
        <InviteForm />
      </OwnerOnly>
      <ConfirmDialog
        isOpen={removed !== undefined}
        title={`Remove ${removed?.displayName ?? ''}?`}
        confirmLabel="Remove"
        isDangerous
        isRunning={remove.isRunning}
        error={remove.error}
        onConfirm={() => {
          if (removed !== undefined) remove.run({ params: { id: removed.membershipId } });
        }}
        onClose={() => setRemoved(undefined)}
      >
        Their sessions end, and they cannot sign in. You can invite them again.
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={locked !== undefined}
        title={`Reset two-factor authentication of ${locked?.displayName ?? ''}?`}
        confirmLabel="Reset"
        isDangerous
        isRunning={reset.isRunning}
        error={reset.error}
        onConfirm={() => {
          if (locked !== undefined) reset.run({ params: { id: locked.membershipId } });
        }}
        onClose={() => setLocked(undefined)}
      >
        Their sessions end, and they sign in without a code until they set it up again. Check first that the
        request comes from them.
      </ConfirmDialog>
    </Stack>
  );
}

function RoleSelect({ person }: { readonly person: Colleague }) {
  const { membershipId, displayName, role } = person;
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

import { IconChevronDown, IconPlus, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { type Output, useAction, useOperation, useTask } from '../../api/hooks.js';
import { formatPast } from '../../format.js';
import { pageProviderName, pageSendsMail } from '../../page-settings.js';
import { ConfirmDialog, ConfirmedButton, Form, useFields } from '../../parts/form.js';
import { type Columns, DataTable, DueTime, StateDot, useNow } from '../../parts/data.js';
import { ActionButton, Notice, OwnerOnly, PageHeader, Panel, QueryView, useOwner } from '../../parts/page.js';
import { NativeSelect, TextInput } from '../../parts/fields.js';
import { Menu, MenuItem, MenuRadios, Modal } from '../../parts/overlays.js';
import { Button } from '../../parts/ui.js';

type Colleague = Output<'listColleagues'>['colleagues'][number];

/** Page of the colleagues of the company. */
export function Page() {
  const colleagues = useOperation('listColleagues', {});
  const [isInviting, setInviting] = useState(false);
  const close = () => setInviting(false);
  return (
    <>
      <PageHeader
        title="People"
        description="Who can sign in to your company’s console."
        actions={
          pageSendsMail() && (
            <ActionButton leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setInviting(true)}>
              Invite
            </ActionButton>
          )
        }
      />
      <QueryView query={colleagues} label="the people of your company">
        {(data) => <Colleagues colleagues={data.colleagues} />}
      </QueryView>
      {!pageSendsMail() && (
        <OwnerOnly>
          <Notice tone="info" title="The operator of the service adds people">
            This service has no mail server for invitations.
          </Notice>
        </OwnerOnly>
      )}
      <Modal opened={isInviting} onClose={close} title="Invite a person">
        <InviteForm onClose={close} />
      </Modal>
    </>
  );
}

function Colleagues({ colleagues }: { readonly colleagues: readonly Colleague[] }) {
  const { owner } = useOwner();
  const isOwner = owner.role === 'owner';
  const isInvited = ({ hasPassword, isLinked }: Colleague) => !hasPassword && !isLinked;
  const invited = colleagues.filter(isInvited);
  const role = (colleague: Colleague) => {
    if (colleague.membershipId === owner.membershipId) return `${roleLabel(colleague.role)} · You`;
    return isOwner ? <PersonMenu colleague={colleague} /> : roleLabel(colleague.role);
  };
  const table = { rowKey: ({ membershipId }: Colleague) => membershipId, widths: WIDTHS };
  return (
    <>
      <DataTable
        {...table}
        caption="People of your company, oldest first"
        rows={colleagues.filter((each) => !isInvited(each))}
        columns={{ ...NAME, Role: role, 'Signs in with': signInOf }}
      />
      {invited.length > 0 && (
        <Panel title="Invited">
          <DataTable
            {...table}
            caption="People who have not signed in yet"
            rows={invited}
            columns={{
              ...NAME,
              Role: (colleague) => roleLabel(colleague.role),
              'Invited by': ({ invitedBy }) => invitedBy ?? 'The operator',
              'Link ends': ({ invitationEndsAt }) => <LinkEnd at={invitationEndsAt} />,
              ...(isOwner && { Action: (colleague: Colleague) => <Invitation colleague={colleague} /> }),
            }}
          />
        </Panel>
      )}
    </>
  );
}

const NAME: Columns<Colleague> = {
  Name: ({ displayName, email }) => (
    <>
      <b className="small">{displayName}</b>
      <small>{email ?? 'No email address'}</small>
    </>
  ),
};

const WIDTHS = {
  Role: '9rem',
  'Signs in with': '14rem',
  'Invited by': '10rem',
  'Link ends': '11rem',
  Action: '13rem',
};

function signInOf({ hasPassword, isLinked, hasSecondFactor }: Colleague): string {
  if (!hasPassword) return pageProviderName();
  return `Password${hasSecondFactor ? ' and code' : ''}${isLinked ? ` or ${pageProviderName()}` : ''}`;
}

function LinkEnd({ at }: { readonly at: string | null | undefined }) {
  const now = useNow();
  const isKnown = at !== null && at !== undefined;
  if (isKnown && new Date(at) > now) return <DueTime at={at} />;
  return <StateDot tone="warn" label={isKnown ? `Ended ${formatPast(new Date(at), now)}` : 'No link'} />;
}

/** What an owner can do about an invitation that no one has accepted yet. */
function Invitation({
  colleague: { membershipId, displayName, email, role },
}: {
  readonly colleague: Colleague;
}) {
  const send = useAction('addColleague', { done: 'Invitation sent', toastsFailure: true });
  const remove = useAction('removeColleague', { done: 'Invitation withdrawn' });
  return (
    <div className="row">
      {email !== null && pageSendsMail() && (
        <Button
          variant="default"
          size="xs"
          aria-label={`Resend the invitation to ${displayName}`}
          loading={send.isRunning}
          onClick={() => send.run({ body: { displayName, email, role } })}
        >
          Resend
        </Button>
      )}
      <ConfirmedButton
        label="Withdraw"
        button={{ size: 'xs', 'aria-label': `Withdraw the invitation to ${displayName}` }}
        title={`Withdraw the invitation to ${displayName}?`}
        confirmLabel="Withdraw"
        isDangerous
        action={remove}
        given={{ params: { id: membershipId } }}
      >
        The link stops working. You can invite them again.
      </ConfirmedButton>
    </div>
  );
}

/** Changes of another person's access: what each asks and means, its button, and what success shows. */
const CHANGES = {
  owner: [
    'Make {name} an owner?',
    'They can then change webhooks and API keys, and invite or remove people, including you. Their sessions end.',
    'Make owner',
    'Role changed',
  ],
  viewer: [
    'Make {name} a viewer?',
    'They can then read everything and change nothing. Their sessions end.',
    'Make viewer',
    'Role changed',
  ],
  reset: [
    'Reset two-factor authentication of {name}?',
    'Their sessions end, and they sign in without a code until they set it up again. First make sure that the request really comes from them.',
    'Reset',
    'Two-factor authentication reset',
  ],
  remove: [
    'Remove {name}?',
    'Their sessions end, and they cannot sign in. You can invite them again.',
    'Remove',
    'Access removed',
  ],
} as const;

/** What an owner can change about another person. Each change takes a confirmation, so that no single key makes it. */
function PersonMenu({ colleague }: { readonly colleague: Colleague }) {
  const { membershipId, displayName, role, hasSecondFactor } = colleague;
  const [asked, setAsked] = useState<keyof typeof CHANGES>('viewer');
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const [title, consequences, confirmLabel, done] = CHANGES[asked];
  const change = useTask(
    async (api, kind: typeof asked): Promise<unknown> => {
      const params = { id: membershipId };
      if (kind === 'reset') return api.call('resetColleagueSecondFactor', { params });
      if (kind === 'remove') return api.call('removeColleague', { params });
      return api.call('setColleagueRole', { params, body: { role: kind } });
    },
    { done, onDone: close },
  );
  const ask = (next: typeof asked) => {
    change.reset();
    setAsked(next);
    setOpen(true);
  };
  return (
    <>
      <Menu
        button={
          <Button variant="default" size="xs" aria-label={`Role of ${displayName}: ${roleLabel(role)}`}>
            {roleLabel(role)}
            <IconChevronDown size={14} aria-hidden />
          </Button>
        }
      >
        <MenuRadios
          value={role}
          options={ROLES}
          onPick={(picked) => {
            if (picked !== role) ask(picked);
          }}
        />
        <hr />
        {hasSecondFactor && (
          <MenuItem onClick={() => ask('reset')}>Reset two-factor authentication…</MenuItem>
        )}
        <MenuItem isDangerous icon={<IconX size={16} aria-hidden />} onClick={() => ask('remove')}>
          {`Remove ${displayName}…`}
        </MenuItem>
      </Menu>
      <ConfirmDialog
        title={title.replace('{name}', () => displayName)}
        confirmLabel={confirmLabel}
        isDangerous={asked === 'reset' || asked === 'remove'}
        action={change}
        isOpen={isOpen}
        onConfirm={() => change.run(asked)}
        onClose={close}
      >
        {consequences}
      </ConfirmDialog>
    </>
  );
}

const ROLES = [
  { value: 'viewer', label: 'Viewer', hint: 'Sees everything, changes nothing.' },
  { value: 'owner', label: 'Owner', hint: 'Also changes webhooks, keys and people.' },
] as const;

const roleLabel = (role: Colleague['role']) => ROLES.find(({ value }) => value === role)?.label ?? role;

const EMPTY = { displayName: '', email: '', role: 'viewer' };

/** The form that invites a colleague. */
function InviteForm({ onClose }: { readonly onClose: () => void }) {
  const add = useAction('addColleague', { done: 'Invitation sent', onDone: onClose });
  const { values, violations, field } = useFields(EMPTY, add.error);
  return (
    <Form
      action={add}
      submitLabel="Send invitation"
      isExplained={Object.keys(violations).length > 0}
      onSubmit={() => add.run({ body: { ...values, role: values.role === 'owner' ? 'owner' : 'viewer' } })}
      onCancel={onClose}
    >
      <TextInput label="Name" {...field('displayName')} required data-autofocus />
      <TextInput
        label="Email address"
        type="email"
        required
        description="Receives a link to set a password."
        {...field('email')}
      />
      <NativeSelect
        label="Role"
        description="Owners can change everything. Viewers can only read."
        data={ROLES}
        {...field('role')}
      />
    </Form>
  );
}

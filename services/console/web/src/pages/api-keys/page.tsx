import { Anchor, Code, Group, Stack, Text } from '@mantine/core';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import type { ApiKey } from '../../api/operations.js';
import { useApiKeys } from '../../api/queries.js';
import { ActionButton } from '../../parts/action-button.js';
import { QueryView } from '../../parts/query-view.js';
import { KeyStateBadge } from '../../parts/badges.js';
import { DataTable } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { LoadMore } from '../../parts/load-more.js';
import { Notice } from '../../parts/notice.js';
import { useOwner } from '../../parts/owner-context.js';
import { PageHeader } from '../../parts/page-header.js';
import { Panel } from '../../parts/panel.js';
import { DueTime, PastTime } from '../../parts/relative-time.js';
import { pageEnvironment } from '../../page-settings.js';
import { CreateKeyDialog } from './create-key-dialog.js';
import { FaultsDialog } from './faults-dialog.js';
import { isInForce, keyName, KIND_LABELS, kindsFor, scopeLabels } from './key-labels.js';
import { RevokeKeyDialog } from './revoke-key-dialog.js';
import { RotateKeyDialog } from './rotate-key-dialog.js';

/** Page of the company's API keys. */
export function Page() {
  const { company } = useOwner();
  const list = useApiKeys();
  const [isCreating, setCreating] = useState(false);
  const canCreate = kindsFor(company.class).length > 0;
  const createButton = (
    <ActionButton leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setCreating(true)}>
      Create an API key
    </ActionButton>
  );
  return (
    <>
      <PageHeader
        title="API keys"
        description={
          <>
            Your programs use the partner API with a key. Anyone with the key has the same access, so keep it
            secret. See <Anchor href="/docs">the API reference</Anchor>.
          </>
        }
        actions={canCreate && (list.data?.length ?? 0) > 0 && createButton}
      />
      {!canCreate && (
        <Notice tone="info" title="Your company cannot have API keys">
          You receive events through your webhooks.
        </Notice>
      )}
      <QueryView query={list} label="your API keys">
        {(keys) =>
          keys.length === 0 ? (
            canCreate && (
              <Panel>
                <EmptyState title="No API keys yet" icon={<IconKey size={28} />} action={createButton}>
                  Create one key per program, so that you can revoke each on its own.
                </EmptyState>
              </Panel>
            )
          ) : (
            <>
              <KeyTable keys={keys} />
              <LoadMore shown={keys.length} what="keys" list={list} />
            </>
          )
        }
      </QueryView>
      <CreateKeyDialog isOpen={isCreating} onClose={() => setCreating(false)} />
    </>
  );
}

function KeyTable({ keys }: { readonly keys: readonly ApiKey[] }) {
  const [rotating, setRotating] = useState<ApiKey>();
  const [revoking, setRevoking] = useState<ApiKey>();
  const [faulting, setFaulting] = useState<ApiKey>();
  const hasFaults = pageEnvironment() === 'sandbox';
  return (
    <>
      <DataTable
        caption="API keys, newest first"
        rows={keys}
        rowKey={({ id }) => id}
        columns={[
          { header: 'Key', isName: true, cell: (key) => <KeyTitle apiKey={key} /> },
          { header: 'State', cell: (key) => <State apiKey={key} /> },
          { header: 'Created', cell: ({ createdAt }) => <PastTime at={createdAt} /> },
          {
            header: 'Last used',
            cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'Never' : <PastTime at={lastUsedAt} />),
          },
          {
            header: 'Action',
            cell: (key) =>
              isInForce(key) ? (
                <Group gap="xs" wrap="nowrap">
                  {key.replacedBy === null && (
                    <ActionButton
                      size="xs"
                      variant="default"
                      aria-label={`Rotate ${keyName(key)}, ending in ${key.lastFour}`}
                      onClick={() => setRotating(key)}
                    >
                      Rotate
                    </ActionButton>
                  )}
                  {hasFaults && (
                    <ActionButton
                      size="xs"
                      variant="default"
                      aria-label={`Faults for ${keyName(key)}, ending in ${key.lastFour}`}
                      onClick={() => setFaulting(key)}
                    >
                      Faults
                    </ActionButton>
                  )}
                  <ActionButton
                    size="xs"
                    variant="default"
                    aria-label={`Revoke ${keyName(key)}, ending in ${key.lastFour}`}
                    onClick={() => setRevoking(key)}
                  >
                    Revoke
                  </ActionButton>
                </Group>
              ) : (
                <Text size="sm" c="dimmed" component="span">
                  None
                </Text>
              ),
          },
        ]}
      />
      {rotating !== undefined && (
        <RotateKeyDialog key={rotating.id} apiKey={rotating} onClose={() => setRotating(undefined)} />
      )}
      {faulting !== undefined && (
        <FaultsDialog key={faulting.id} apiKey={faulting} onClose={() => setFaulting(undefined)} />
      )}
      {revoking !== undefined && (
        <RevokeKeyDialog key={revoking.id} apiKey={revoking} onClose={() => setRevoking(undefined)} />
      )}
    </>
  );
}

function KeyTitle({ apiKey }: { readonly apiKey: ApiKey }) {
  const { kind, scopes, boundCompany, lastFour } = apiKey;
  const purpose = boundCompany === null ? KIND_LABELS[kind].name : `Jobs of ${boundCompany.name}`;
  return (
    <Stack gap={2} title={`${kind}: ${scopes.join(' ')}`}>
      <Text size="sm" fw={600}>
        {keyName(apiKey)}
      </Text>
      <Text size="xs" c="dimmed">
        ends in <Code fz="xs">{lastFour}</Code>
      </Text>
      <Text size="xs" c="dimmed">{`${purpose}: may ${scopeLabels(scopes)}`}</Text>
    </Stack>
  );
}

function State({ apiKey }: { readonly apiKey: ApiKey }) {
  const { state, expiresAt, revokedAt } = apiKey;
  return (
    <Stack gap={2} align="flex-start">
      <KeyStateBadge state={state} />
      {state === 'revoked' && revokedAt !== null && (
        <Text size="xs" c="dimmed">
          <PastTime at={revokedAt} />
        </Text>
      )}
      {state !== 'revoked' && expiresAt !== null && (
        <Text size="xs" c="dimmed">
          {state === 'expired' ? 'ended ' : 'ends '}
          {state === 'expired' ? <PastTime at={expiresAt} /> : <DueTime at={expiresAt} />}
        </Text>
      )}
    </Stack>
  );
}

import { IconKey, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { type ApiKey, useApiKeys } from '../../api/hooks.js';
import { ActionButton, EmptyState, LoadMore, PageHeader, QueryView } from '../../parts/page.js';
import { StateDot, DataTable, KEY_LOOKS, PastTime } from '../../parts/data.js';
import { pageEnvironment } from '../../page-settings.js';
import { CreateKeyDialog, KeyEnd, RevokeKeyDialog, RotateKeyDialog } from './key-dialogs.js';
import { isInForce, keyName, KIND_NAMES, scopeLabels } from './key-labels.js';
import { FaultsDialog } from './faults-dialog.js';

/** Page of the company's API keys. */
export function Page() {
  const list = useApiKeys();
  const [isCreating, setCreating] = useState(false);
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
            secret. See <a href="/docs">the API reference</a>.
          </>
        }
        actions={(list.data?.length ?? 0) > 0 && createButton}
      />
      <QueryView query={list} label="your API keys">
        {(keys) =>
          keys.length === 0 ? (
            <EmptyState title="No API keys yet" icon={<IconKey size={28} />} action={createButton}>
              Create one key per program, so that you can revoke each one separately.
            </EmptyState>
          ) : (
            <>
              <KeyTable keys={keys} />
              <LoadMore shown={keys.length} what="keys" list={list} />
            </>
          )
        }
      </QueryView>
      {isCreating && <CreateKeyDialog onClose={() => setCreating(false)} />}
    </>
  );
}

/** What an owner can do with a key, and where. */
const ACTIONS = [
  { label: 'Rotate', Dialog: RotateKeyDialog, isFor: ({ replacedBy }: ApiKey) => replacedBy === null },
  {
    label: 'Faults',
    Dialog: FaultsDialog,
    isFor: ({ kind }: ApiKey) => kind !== 'automation' && pageEnvironment() === 'sandbox',
  },
  { label: 'Revoke', Dialog: RevokeKeyDialog, isFor: () => true },
] as const;

function KeyTable({ keys }: { readonly keys: readonly ApiKey[] }) {
  const [asked, setAsked] = useState<{ readonly apiKey: ApiKey; readonly Dialog: typeof RotateKeyDialog }>();
  return (
    <>
      <DataTable
        caption="API keys, newest first"
        rows={keys}
        rowKey={({ id }) => id}
        widths={{ State: '9rem', Created: '8rem', 'Last used': '8rem', Action: '14rem' }}
        columns={{
          Key: (key) => <KeyTitle apiKey={key} />,
          State: (key) => <State apiKey={key} />,
          Created: ({ createdAt }) => <PastTime at={createdAt} />,
          'Last used': ({ lastUsedAt }) => (lastUsedAt === null ? 'Never' : <PastTime at={lastUsedAt} />),
          Action: (key) =>
            isInForce(key) && (
              <div className="row">
                {ACTIONS.filter(({ isFor }) => isFor(key)).map(({ label, Dialog }) => (
                  <ActionButton
                    key={label}
                    size="xs"
                    variant="default"
                    aria-label={`${label}${label === 'Faults' ? ' for' : ''} ${keyName(key)}, ending in ${key.lastFour}`}
                    onClick={() => setAsked({ apiKey: key, Dialog })}
                  >
                    {label}
                  </ActionButton>
                ))}
              </div>
            ),
        }}
      />
      {asked !== undefined && (
        <asked.Dialog key={asked.apiKey.id} apiKey={asked.apiKey} onClose={() => setAsked(undefined)} />
      )}
    </>
  );
}

function KeyTitle({ apiKey }: { readonly apiKey: ApiKey }) {
  const { kind, scopes, boundCompany, lastFour, networks } = apiKey;
  const purpose = boundCompany === null ? KIND_NAMES[kind] : `Jobs of ${boundCompany.name}`;
  return (
    <div title={`${kind}: ${scopes.join(' ')}`}>
      <b className="small">{keyName(apiKey)}</b>
      <small>
        ends in <code>{lastFour}</code>
      </small>
      <small>{`${purpose}: can ${scopeLabels(scopes)}`}</small>
      {networks !== undefined && <small>{`Only from ${networks.join(', ')}`}</small>}
    </div>
  );
}

function State({ apiKey }: { readonly apiKey: ApiKey }) {
  const { state, expiresAt, revokedAt } = apiKey;
  return (
    <>
      <StateDot {...KEY_LOOKS[state]} />
      {(revokedAt ?? expiresAt) !== null && (
        <small>{revokedAt === null ? <KeyEnd apiKey={apiKey} /> : <PastTime at={revokedAt} />}</small>
      )}
    </>
  );
}

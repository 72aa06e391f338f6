import { KEY_KINDS } from '@partner/proto-contracts/api/scopes';
import { KEY_KINDS_OF_CLASS, KEY_LIMITS } from '@partner/proto-contracts/resources/api-key/api-key';
import { type ReactNode, useState } from 'react';
import { type ApiKey, type Output, useAction, useOperationList } from '../../api/hooks.js';
import { SecretOnce } from '../../parts/code.js';
import { Form, useFields } from '../../parts/form.js';
import { ErrorState, Notice, useOwner } from '../../parts/page.js';
import { DueTime, PastTime } from '../../parts/data.js';
import { Choices, NativeSelect, TextInput, type TextInputProps } from '../../parts/fields.js';
import { Modal } from '../../parts/overlays.js';
import { TypedDialog } from '../../parts/typed-dialog.js';
import { Button } from '../../parts/ui.js';
import { isInForce, keyName, KIND_NAMES, scopeLabels } from './key-labels.js';

/** Creates a key and shows it once. */
export function CreateKeyDialog({ onClose }: { readonly onClose: () => void }) {
  const creation = useAction('createApiKey');
  return (
    <KeyDialog title="Create an API key" created={creation.response} onClose={onClose}>
      <KeyForm creation={creation} onCancel={onClose} />
    </KeyDialog>
  );
}

/** A dialog that ends with a new key, shown once. The owner continues after storing it. */
function KeyDialog(props: {
  readonly title: string;
  readonly created: Output<'createApiKey'> | undefined;
  readonly onClose: () => void;
  /** Shown above the new key. */
  readonly note?: ReactNode;
  /** Shown before there is a new key. */
  readonly children: ReactNode;
}) {
  const { title, created, onClose } = props;
  const [isStored, setStored] = useState(false);
  if (created === undefined) {
    return (
      <Modal opened onClose={onClose} title={title} size="lg">
        {props.children}
      </Modal>
    );
  }
  return (
    // Closing would lose the key.
    <Modal opened onClose={onClose} title="Your new API key" size="lg" isKept>
      {props.note}
      <SecretOnce label="API key" secret={created.apiKey} onStored={setStored} />
      <p className="small">
        <a href="/docs">The API reference</a> has an example of every request, and{' '}
        <a href="/clients">our clients</a> for TypeScript and Python send them.
      </p>
      <Button disabled={!isStored} onClick={onClose}>
        Done
      </Button>
    </Modal>
  );
}

/** When a key ends, or when it has ended. */
export function KeyEnd({ apiKey: { state, expiresAt } }: { readonly apiKey: ApiKey }) {
  if (expiresAt === null) return null;
  return isInForce({ state }) ? (
    <>
      expires <DueTime at={expiresAt} />
    </>
  ) : (
    <>
      expired <PastTime at={expiresAt} />
    </>
  );
}

function KeyForm(props: {
  readonly creation: ReturnType<typeof useAction<'createApiKey'>>;
  readonly onCancel: () => void;
}) {
  const { creation } = props;
  const { company } = useOwner();
  const kinds = KEY_KINDS_OF_CLASS[company.class];
  const [kind, setKind] = useState<ApiKey['kind'] | undefined>(kinds[0]);
  const { values, field } = useFields(
    { boundCompanyId: '', description: '', expiresInDays: String(KEY_LIMITS.automationDays), networks: '' },
    creation.error,
  );
  const { boundCompanyId, description, expiresInDays } = values;
  const isBound = kind === 'installer-contractor';
  const isAutomation = kind === 'automation';
  const installers = useOperationList(
    'listInstallers',
    { query: { limit: 100 } },
    (page) => page.installers,
    isBound,
  );
  const { data = [], hasMore, isLoadingMore, loadMore } = installers;
  const hasNoInstaller = isBound && installers.data?.length === 0;
  const submit = () => {
    if (kind === undefined) return;
    const networks = values.networks.match(/[^\s,]+/g) ?? [];
    creation.run({
      body: {
        kind,
        ...(isBound && { boundCompanyId }),
        ...(isAutomation && { expiresInDays: Number(expiresInDays) }),
        ...(isAutomation && networks.length > 0 && { networks }),
        ...(description !== '' && { description }),
      },
    });
  };
  return (
    <Form
      action={creation}
      submitLabel="Create key"
      button={{ disabled: hasNoInstaller }}
      onSubmit={submit}
      onCancel={props.onCancel}
    >
      <Choices
        label="Kind"
        values={kind === undefined ? [] : [kind]}
        options={kinds.map((value) => ({
          value,
          label: KIND_NAMES[value],
          description: `Can ${scopeLabels(KEY_KINDS[value].scopes)}. The API reference calls this kind ${value}.`,
        }))}
        onToggle={setKind}
      />
      {isBound && installers.error !== null && (
        <ErrorState
          error={installers.error}
          title="Could not load installer companies"
          onRetry={() => void installers.refetch()}
        />
      )}
      {hasNoInstaller && (
        <Notice tone="warn" title="No installer company works for you yet">
          This kind of key is for one installer company that has, or had, one of your jobs.
        </Notice>
      )}
      {isBound && (
        <NativeSelect
          label="Installer company"
          description="The key can read only this company’s jobs."
          required
          {...field('boundCompanyId')}
          data={[
            { value: '', label: 'Choose one', disabled: true },
            ...data.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
      )}
      {isBound && hasMore && (
        <Button variant="default" size="xs" loading={isLoadingMore} onClick={loadMore}>
          Load more companies
        </Button>
      )}
      {isAutomation && <AutomationFields field={field} />}
      <TextInput
        label="Description"
        description="Optional. Helps you recognize where the key is used."
        placeholder="Website"
        maxLength={KEY_LIMITS.descriptionLength}
        {...field('description')}
      />
    </Form>
  );
}

function AutomationFields({
  field,
}: {
  readonly field: (name: 'expiresInDays' | 'networks') => TextInputProps;
}) {
  return (
    <>
      <TextInput
        label="Days until it expires"
        description={`At most ${KEY_LIMITS.automationDays}.`}
        inputMode="numeric"
        required
        {...field('expiresInDays')}
      />
      <TextInput
        label="Networks"
        description="Optional. The key works only from these networks, for example 203.0.113.0/24 2001:db8::/48."
        {...field('networks')}
      />
    </>
  );
}

/** The key that a dialog is about. */
interface OfKey {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}

/** Revokes a key after the owner has typed its last four characters. */
export function RevokeKeyDialog({ apiKey, onClose }: OfKey) {
  const revocation = useAction('revokeApiKey', { done: 'API key revoked', onDone: onClose });
  const { id, lastFour, lastUsedAt } = apiKey;
  return (
    <TypedDialog
      isOpen
      title={`Revoke ${keyName(apiKey)}?`}
      confirmLabel="Revoke key"
      text={lastFour}
      action={revocation}
      onConfirm={() => revocation.run({ params: { id } })}
      onClose={onClose}
    >
      <p className="small">
        The key stops working within 5 seconds. You can’t undo this. To replace a key without downtime, rotate
        it instead. Last used: {lastUsedAt === null ? 'never' : <PastTime at={lastUsedAt} />}.
      </p>
    </TypedDialog>
  );
}

const OVERLAPS = [
  { value: '0', label: 'No overlap: the old key expires immediately' },
  { value: '1', label: '1 hour' },
  { value: '24', label: '24 hours' },
  { value: '72', label: '3 days' },
  { value: '168', label: '7 days' },
];

/** Replaces a key, with an overlap in which both are accepted. */
export function RotateKeyDialog({ apiKey, onClose }: OfKey) {
  const rotation = useAction('rotateApiKey');
  const [overlap, setOverlap] = useState(String(KEY_LIMITS.overlapHours.default));
  const previous = rotation.response?.previous;
  return (
    <KeyDialog
      title={`Rotate ${keyName(apiKey)}`}
      created={rotation.response}
      onClose={onClose}
      note={
        previous !== undefined &&
        previous.expiresAt !== null && (
          <Notice tone="info">
            The old key, ending in {previous.lastFour}, <KeyEnd apiKey={previous} />.
          </Notice>
        )
      }
    >
      <Form
        action={rotation}
        submitLabel="Rotate key"
        onSubmit={() => rotation.run({ params: { id: apiKey.id }, body: { overlapHours: Number(overlap) } })}
        onCancel={onClose}
      >
        <p className="small">
          You get a new key with the same permissions. Both work during the overlap. Replace the key ending in{' '}
          <b>{apiKey.lastFour}</b> wherever you use it before the overlap ends.
        </p>
        <NativeSelect
          label="Overlap"
          value={overlap}
          onChange={({ currentTarget }) => setOverlap(currentTarget.value)}
          description="If the key may be compromised, choose no overlap."
          data={OVERLAPS}
        />
      </Form>
    </KeyDialog>
  );
}

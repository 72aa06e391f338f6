import { Button, Group, List, Modal, NativeSelect, Radio, Stack, Text, TextInput } from '@mantine/core';
import { KEY_LIMITS } from '@partner/proto-contracts/resources/api-key/api-key';
import { type ReactNode, useState } from 'react';
import { type ApiKey, type Output, useAction, useOperationList } from '../../api/hooks.js';
import { CodeBlock, SecretOnce } from '../../parts/code.js';
import { Form, useFields } from '../../parts/form.js';
import { ErrorState, Notice, Small, useOwner } from '../../parts/page.js';
import { DueTime, PastTime } from '../../parts/data.js';
import { isInForce, keyName, KIND_LABELS, kindsFor, testCommand } from './key-labels.js';

/** Creates a key and shows it once. */
export function CreateKeyDialog({ onClose }: { readonly onClose: () => void }) {
  const creation = useAction('createApiKey');
  return (
    <KeyDialog title="Create an API key" created={creation.response} onClose={onClose}>
      <KeyForm creation={creation} onCancel={onClose} />
    </KeyDialog>
  );
}

/** A dialog that ends with a new key, shown once with a test command. The owner continues after storing it. */
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
  const { apiKey, key } = created;
  return (
    // Closing would lose the key.
    <Modal
      opened
      onClose={onClose}
      title="Your new API key"
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        {props.note}
        <SecretOnce label="API key" secret={apiKey} onStored={setStored} />
        <div>
          <Small fw={600}>Try it</Small>
          <Text size="sm" c="dimmed" mb="xs">
            {KIND_LABELS[key.kind].testHint}
          </Text>
          <CodeBlock label="Command" code={testCommand(key.kind, apiKey, window.location.origin)} wraps />
        </div>
        <Group justify="flex-end">
          <Button disabled={!isStored} onClick={onClose}>
            Done
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** When a key ends, or when it has ended. */
export function KeyEnd({ apiKey: { state, expiresAt } }: { readonly apiKey: ApiKey }) {
  if (expiresAt === null) return null;
  return isInForce({ state }) ? (
    <>
      ends <DueTime at={expiresAt} />
    </>
  ) : (
    <>
      ended <PastTime at={expiresAt} />
    </>
  );
}

function KeyForm(props: {
  readonly creation: ReturnType<typeof useAction<'createApiKey'>>;
  readonly onCancel: () => void;
}) {
  const { creation } = props;
  const { company } = useOwner();
  const kinds = kindsFor(company.class);
  const [kind, setKind] = useState<ApiKey['kind'] | undefined>(kinds[0]);
  const { values, field } = useFields({ boundCompanyId: '', description: '' }, creation.error);
  const { boundCompanyId, description } = values;
  const isBound = kind === 'installer-contractor';
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
    creation.run({
      body: { kind, ...(isBound && { boundCompanyId }), ...(description !== '' && { description }) },
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
      <Radio.Group
        label="Kind"
        value={kind ?? ''}
        onChange={(value) => setKind(kinds.find((each) => each === value))}
      >
        <Stack gap="xs" mt="xs">
          {kinds.map((each) => (
            <Radio
              key={each}
              value={each}
              label={KIND_LABELS[each].name}
              description={KIND_LABELS[each].purpose}
            />
          ))}
        </Stack>
      </Radio.Group>
      {isBound && installers.error !== null && (
        <ErrorState
          error={installers.error}
          title="Could not load installer companies"
          onRetry={() => void installers.refetch()}
        />
      )}
      {hasNoInstaller && (
        <Notice tone="warn" title="No installer company works for you yet">
          This kind of key is for one company that has, or had, one of your jobs.
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
      <TextInput
        label="Description"
        description="Optional. Helps you recognize where the key is in use."
        placeholder="Website"
        maxLength={KEY_LIMITS.descriptionLength}
        {...field('description')}
      />
    </Form>
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
  const [typed, setTyped] = useState('');
  return (
    <Modal opened onClose={onClose} title={`Revoke ${keyName(apiKey)}?`}>
      <Form
        action={revocation}
        submitLabel="Revoke key"
        button={{ color: 'red.9', disabled: typed.trim() !== apiKey.lastFour }}
        onSubmit={() => revocation.run({ params: { id: apiKey.id } })}
        onCancel={onClose}
      >
        <Text size="sm">
          Within 5 seconds every request with this key fails. You cannot undo this. To replace a key without
          downtime, rotate it instead.
        </Text>
        <Text size="sm">
          {apiKey.lastUsedAt === null ? (
            'It was never used.'
          ) : (
            <>
              It was last used <PastTime at={apiKey.lastUsedAt} />.
            </>
          )}
        </Text>
        <TextInput
          label={`Type the last four characters of the key, ${apiKey.lastFour}`}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
        />
      </Form>
    </Modal>
  );
}

const OVERLAPS = [
  { value: '0', label: 'No overlap: the old key expires at once' },
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
        <List type="ordered" size="sm" spacing={6}>
          <List.Item>You get a new key with the same permissions.</List.Item>
          <List.Item>
            During the overlap both keys work. Replace the key ending in <b>{apiKey.lastFour}</b> wherever you
            use it.
          </List.Item>
          <List.Item>The old key expires automatically.</List.Item>
        </List>
        <NativeSelect
          label="Overlap"
          value={overlap}
          onChange={({ currentTarget }) => setOverlap(currentTarget.value)}
          data={OVERLAPS}
        />
        <Small c="dimmed">If the key may be compromised, choose no overlap.</Small>
      </Form>
    </KeyDialog>
  );
}

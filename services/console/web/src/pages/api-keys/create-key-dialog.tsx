import { Button, Group, Modal, NativeSelect, Radio, Stack, TextInput } from '@mantine/core';
import { KEY_LIMITS } from '@partner/proto-contracts/resources/api-key/api-key';
import { type SubmitEvent, useState } from 'react';
import type { ApiKey, Input } from '../../api/operations.js';
import { violationsByField } from '../../api/api-error.js';
import { useAction } from '../../api/use-action.js';
import { useOperationList } from '../../api/use-operation.js';
import { ErrorState } from '../../parts/error-state.js';
import { FormFailure } from '../../parts/form-failure.js';
import { Notice } from '../../parts/notice.js';
import { useOwner } from '../../parts/owner-context.js';
import { KeyOnce } from './key-once.js';
import { KIND_LABELS, kindsFor } from './key-labels.js';

/** Creates a key and shows it once. */
export function CreateKeyDialog(props: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const { isOpen, onClose } = props;
  const creation = useAction('createApiKey');
  const { response } = creation;
  const close = () => {
    creation.reset();
    onClose();
  };
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={response === undefined ? 'Create an API key' : 'Your new API key'}
      size="lg"
      // Closing would lose the key.
      closeOnClickOutside={response === undefined}
      closeOnEscape={response === undefined}
      withCloseButton={response === undefined}
    >
      {response === undefined ? (
        <KeyForm
          error={creation.error}
          isRunning={creation.isRunning}
          onCreate={(body) => creation.run({ body })}
          onCancel={close}
        />
      ) : (
        <KeyOnce kind={response.key.kind} apiKey={response.apiKey} onDone={close} />
      )}
    </Modal>
  );
}

function KeyForm(props: {
  readonly error: unknown;
  readonly isRunning: boolean;
  readonly onCreate: (body: Input<'createApiKey'>['body']) => void;
  readonly onCancel: () => void;
}) {
  const { company } = useOwner();
  const kinds = kindsFor(company.class);
  const [kind, setKind] = useState<ApiKey['kind'] | undefined>(kinds[0]);
  const [boundCompanyId, setBound] = useState('');
  const [description, setDescription] = useState('');
  const isBound = kind === 'installer-contractor';
  const installers = useInstallers(isBound);
  const violations = violationsByField(props.error);
  const hasNoInstaller = isBound && installers.data?.length === 0;

  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (kind === undefined) return;
    props.onCreate({
      kind,
      ...(isBound ? { boundCompanyId } : {}),
      ...(description === '' ? {} : { description }),
    });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <KindChoice kinds={kinds} kind={kind} onChoose={setKind} />
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
          <InstallerChoice
            installers={installers}
            chosen={boundCompanyId}
            error={violations['boundCompanyId']}
            onChoose={setBound}
          />
        )}
        <TextInput
          label="Description"
          description="Optional. Helps you recognize where the key is in use."
          placeholder="Website"
          maxLength={KEY_LIMITS.descriptionLength}
          value={description}
          onChange={({ currentTarget }) => setDescription(currentTarget.value)}
          error={violations['description']}
        />
        <FormFailure error={props.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={props.onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={props.isRunning} disabled={hasNoInstaller}>
            Create key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** The companies that a key can be bound to. */
const useInstallers = (enabled: boolean) =>
  useOperationList('listInstallers', { query: { limit: 100 } }, ({ installers }) => installers, enabled);

function InstallerChoice(props: {
  readonly installers: ReturnType<typeof useInstallers>;
  readonly chosen: string;
  readonly error: string | undefined;
  readonly onChoose: (companyId: string) => void;
}) {
  const { data = [], hasMore, isLoadingMore, loadMore } = props.installers;
  return (
    <>
      <NativeSelect
        label="Installer company"
        description="The key can read only this company’s jobs."
        required
        withAsterisk={false}
        value={props.chosen}
        onChange={({ currentTarget }) => props.onChoose(currentTarget.value)}
        error={props.error}
        data={[
          { value: '', label: 'Choose one', disabled: true },
          ...data.map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
      {hasMore && (
        <Button variant="default" size="xs" loading={isLoadingMore} onClick={loadMore}>
          Load more companies
        </Button>
      )}
    </>
  );
}

function KindChoice(props: {
  readonly kinds: readonly ApiKey['kind'][];
  readonly kind: ApiKey['kind'] | undefined;
  readonly onChoose: (kind: ApiKey['kind'] | undefined) => void;
}) {
  const { kinds, kind, onChoose } = props;
  return (
    <Radio.Group
      label="Kind"
      value={kind ?? ''}
      onChange={(value) => onChoose(kinds.find((each) => each === value))}
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
  );
}

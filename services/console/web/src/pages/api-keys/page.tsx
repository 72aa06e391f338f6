import {
  Anchor,
  Button,
  Checkbox,
  Code,
  Fieldset,
  Group,
  Modal,
  NativeSelect,
  NumberInput,
  Stack,
  Text,
} from '@mantine/core';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { type ApiKey, useAction, useApiKeys, useOperation } from '../../api/hooks.js';
import {
  ActionButton,
  EmptyPanel,
  Hint,
  LoadMore,
  Notice,
  PageHeader,
  QueryView,
  Small,
  useOwner,
} from '../../parts/page.js';
import { StateDot, DataTable, KEY_LOOKS, PastTime } from '../../parts/data.js';
import { pageEnvironment } from '../../page-settings.js';
import { CreateKeyDialog, KeyEnd, RevokeKeyDialog, RotateKeyDialog } from './key-dialogs.js';
import { isInForce, keyName, KIND_LABELS, kindsFor, scopeLabels } from './key-labels.js';
import {
  FAULT_LIMITS,
  type FaultScript,
  type RequestFault,
} from '@partner/proto-contracts/resources/fault-script/fault-script';
import { violationsByField } from '../../api/api-client.js';
import { Form } from '../../parts/form.js';
import { describeFault, FAULTS, isEmptyScript } from './fault-steps.js';

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
              <EmptyPanel title="No API keys yet" icon={<IconKey size={28} />} action={createButton}>
                Create one key per program, so that you can revoke each on its own.
              </EmptyPanel>
            )
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
  { label: 'Faults', Dialog: FaultsDialog, isFor: () => pageEnvironment() === 'sandbox' },
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
        columns={{
          Key: (key) => <KeyTitle apiKey={key} />,
          State: (key) => <State apiKey={key} />,
          Created: ({ createdAt }) => <PastTime at={createdAt} />,
          'Last used': ({ lastUsedAt }) => (lastUsedAt === null ? 'Never' : <PastTime at={lastUsedAt} />),
          Action: (key) =>
            isInForce(key) ? (
              <Group gap="xs" wrap="nowrap">
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
              </Group>
            ) : (
              <Text size="sm" c="dimmed" component="span">
                None
              </Text>
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
  const { kind, scopes, boundCompany, lastFour } = apiKey;
  const purpose = boundCompany === null ? KIND_LABELS[kind].name : `Jobs of ${boundCompany.name}`;
  return (
    <Stack gap={2} title={`${kind}: ${scopes.join(' ')}`}>
      <Small fw={600}>{keyName(apiKey)}</Small>
      <Hint>
        ends in <Code fz="xs">{lastFour}</Code>
      </Hint>
      <Hint>{`${purpose}: may ${scopeLabels(scopes)}`}</Hint>
    </Stack>
  );
}

function State({ apiKey }: { readonly apiKey: ApiKey }) {
  const { state, expiresAt, revokedAt } = apiKey;
  return (
    <Stack gap={2} align="flex-start">
      <StateDot {...KEY_LOOKS[state]} />
      {(revokedAt ?? expiresAt) !== null && (
        <Hint>{revokedAt === null ? <KeyEnd apiKey={apiKey} /> : <PastTime at={revokedAt} />}</Hint>
      )}
    </Stack>
  );
}

/** Shows, sets and removes the fault script of a key. Exists in the sandbox only. */
function FaultsDialog({ apiKey, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }) {
  const script = useOperation('getFaults', { params: { id: apiKey.id } });
  return (
    <Modal opened onClose={onClose} title={`Faults for ${keyName(apiKey)}`} size="xl">
      <QueryView query={script} label="the fault script">
        {(stored) => <FaultForm params={{ id: apiKey.id }} stored={stored} onClose={onClose} />}
      </QueryView>
    </Modal>
  );
}

function FaultForm(props: {
  readonly params: { readonly id: string };
  readonly stored: FaultScript;
  readonly onClose: () => void;
}) {
  const { params, stored, onClose } = props;
  const setting = useAction('setFaults', { done: 'Faults saved', onDone: onClose });
  const clearing = useAction('clearFaults', { done: 'Faults removed', onDone: onClose });
  const [{ requests, webhooks }, setScript] = useState(stored);
  const violations = violationsByField(setting.error);
  const change = (part: Partial<FaultScript>) => setScript({ requests, webhooks, ...part });
  return (
    <Form
      action={{ ...setting, error: setting.error ?? clearing.error }}
      submitLabel="Save faults"
      others={
        !isEmptyScript(stored) && (
          <Button
            variant="default"
            me="auto"
            loading={clearing.isRunning}
            onClick={() => clearing.run({ params })}
          >
            Remove all faults
          </Button>
        )
      }
      onSubmit={() => setting.run({ params, body: { requests, webhooks } })}
      onCancel={onClose}
    >
      <Text size="sm">
        Test how your program handles faults. The steps apply in this order to the next requests with the key,
        then requests work as usual. Saving takes effect within 5 seconds and starts with step 1.
      </Text>
      {requests.map((step, index) => (
        <StepFields
          // The steps have no identity besides their place.
          key={index}
          number={index + 1}
          step={step}
          onChange={(changed) => change({ requests: requests.with(index, changed) })}
          onRemove={() => change({ requests: requests.toSpliced(index, 1) })}
          violationOf={(field) => violations[`requests.${index}.${field}`]}
        />
      ))}
      <Group>
        <Button
          variant="default"
          leftSection={<IconPlus size={18} aria-hidden />}
          disabled={requests.length >= FAULT_LIMITS.steps}
          onClick={() => change({ requests: [...requests, FAULTS.rate_limited.initial] })}
        >
          Add a step
        </Button>
      </Group>
      <Checkbox
        label="Deliver every event twice"
        description="Two deliveries with the same event ID, a second apart, to all webhooks of your company."
        checked={webhooks.duplicate}
        onChange={({ currentTarget }) =>
          change({ webhooks: { ...webhooks, duplicate: currentTarget.checked } })
        }
      />
      <Checkbox
        label="Deliver events in another order"
        description="Events of the same 4 seconds arrive in the opposite order, up to 8 seconds late."
        checked={webhooks.reorder}
        onChange={({ currentTarget }) =>
          change({ webhooks: { ...webhooks, reorder: currentTarget.checked } })
        }
      />
    </Form>
  );
}

/** Fields of one step of a fault script, with a sentence that says what the step does. */
function StepFields(props: {
  readonly number: number;
  readonly step: RequestFault;
  readonly onChange: (step: RequestFault) => void;
  readonly onRemove: () => void;
  /** Returns the violation of a field of the step. */
  readonly violationOf: (field: string) => string | undefined;
}) {
  const { number, step, onChange, onRemove, violationOf } = props;
  const wholeNumber = (
    label: string,
    field: 'times' | 'retryAfterSeconds' | 'delayMs',
    value: number,
    changed: (value: number) => RequestFault,
  ) => (
    <NumberInput
      label={label}
      value={value}
      error={violationOf(field)}
      w="13rem"
      min={1}
      max={FAULT_LIMITS[field]}
      allowDecimal={false}
      clampBehavior="strict"
      onChange={(entered) => onChange(changed(typeof entered === 'number' ? entered : 1))}
    />
  );
  return (
    <Fieldset legend={`Step ${number}`}>
      <Stack gap="sm">
        <Group align="flex-start" gap="sm">
          <NativeSelect
            label="Fault"
            value={step.fault}
            onChange={({ currentTarget }) => {
              const [, chosen] = Object.entries(FAULTS).find(([kind]) => kind === currentTarget.value) ?? [];
              if (chosen !== undefined) onChange({ ...chosen.initial, times: step.times });
            }}
            data={Object.entries(FAULTS).map(([value, { label }]) => ({ value, label }))}
          />
          {wholeNumber('Requests', 'times', step.times, (times) => ({ ...step, times }))}
          {step.fault === 'rate_limited' &&
            wholeNumber(
              'Retry after, in seconds',
              'retryAfterSeconds',
              step.retryAfterSeconds,
              (retryAfterSeconds) => ({ ...step, retryAfterSeconds }),
            )}
          {step.fault === 'delay' &&
            wholeNumber('Delay, in ms', 'delayMs', step.delayMs, (delayMs) => ({ ...step, delayMs }))}
          {step.fault === 'server_error' && (
            <>
              <NativeSelect
                label="Status"
                value={String(step.status)}
                onChange={({ currentTarget }) =>
                  onChange({ ...step, status: currentTarget.value === '500' ? 500 : 503 })
                }
                data={['503', '500']}
              />
              <NativeSelect
                label="Effect"
                value={step.when}
                onChange={({ currentTarget }) =>
                  onChange({ ...step, when: currentTarget.value === 'after' ? 'after' : 'before' })
                }
                data={[
                  { value: 'before', label: 'None' },
                  { value: 'after', label: 'Takes effect, response lost' },
                ]}
              />
            </>
          )}
        </Group>
        <Group justify="space-between" wrap="nowrap">
          <Small c="dimmed">{describeFault(step)}</Small>
          <Button
            size="xs"
            variant="default"
            onClick={onRemove}
            aria-label={`Remove step ${number}`}
            flex="0 0 auto"
          >
            Remove
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  );
}

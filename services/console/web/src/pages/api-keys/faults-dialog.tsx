import {
  Button,
  Checkbox,
  Fieldset,
  Group,
  Modal,
  NativeSelect,
  NumberInput,
  Stack,
  Text,
} from '@mantine/core';
import {
  FAULT_LIMITS,
  type FaultScript,
  type RequestFault,
} from '@partner/proto-contracts/resources/fault-script/fault-script';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { type ApiKey, useAction, useOperation } from '../../api/hooks.js';
import { violationsByField } from '../../api/api-error.js';
import { Form } from '../../parts/form.js';
import { QueryView, Small } from '../../parts/page.js';
import { describeFault, FAULTS, isEmptyScript } from './fault-steps.js';
import { keyName } from './key-labels.js';

/** Shows, sets and removes the fault script of a key. Exists in the sandbox only. */
export function FaultsDialog({ apiKey, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }) {
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

import { Button, Fieldset, Group, NativeSelect, NumberInput, Stack, Text } from '@mantine/core';
import {
  FAULT_LIMITS,
  type RequestFault,
} from '@partner/proto-contracts/resources/fault-script/fault-script';
import { describeFault, FAULT_LABELS, newFault } from './fault-steps.js';

const KINDS = ['rate_limited', 'server_error', 'delay'] as const satisfies readonly RequestFault['fault'][];

/** Fields of one step of a fault script, with a sentence that says what the step does. */
export function FaultStepFields(props: {
  readonly number: number;
  readonly step: RequestFault;
  readonly onChange: (step: RequestFault) => void;
  readonly onRemove: () => void;
  /** Returns the violation of a field of the step. */
  readonly violationOf: (field: string) => string | undefined;
}) {
  const { number, step, onChange, onRemove, violationOf } = props;
  return (
    <Fieldset legend={`Step ${number}`}>
      <Stack gap="sm">
        <Group align="flex-start" gap="sm">
          <NativeSelect
            label="Fault"
            value={step.fault}
            onChange={({ currentTarget }) => {
              const kind = KINDS.find((known) => known === currentTarget.value);
              if (kind !== undefined) onChange({ ...newFault(kind), times: step.times });
            }}
            data={KINDS.map((kind) => ({ value: kind, label: FAULT_LABELS[kind] }))}
          />
          <WholeNumber
            label="Requests"
            value={step.times}
            max={FAULT_LIMITS.times}
            error={violationOf('times')}
            onChange={(times) => onChange({ ...step, times })}
          />
          <OwnFields step={step} onChange={onChange} violationOf={violationOf} />
        </Group>
        <Group justify="space-between" wrap="nowrap">
          <Text size="sm" c="dimmed">
            {describeFault(step)}
          </Text>
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

function OwnFields({
  step,
  onChange,
  violationOf,
}: {
  readonly step: RequestFault;
  readonly onChange: (step: RequestFault) => void;
  readonly violationOf: (field: string) => string | undefined;
}) {
  switch (step.fault) {
    case 'rate_limited':
      return (
        <WholeNumber
          label="Retry after, in seconds"
          value={step.retryAfterSeconds}
          max={FAULT_LIMITS.retryAfterSeconds}
          error={violationOf('retryAfterSeconds')}
          onChange={(retryAfterSeconds) => onChange({ ...step, retryAfterSeconds })}
        />
      );
    case 'server_error':
      return (
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
      );
    case 'delay':
      return (
        <WholeNumber
          label="Delay, in ms"
          value={step.delayMs}
          max={FAULT_LIMITS.delayMs}
          error={violationOf('delayMs')}
          onChange={(delayMs) => onChange({ ...step, delayMs })}
        />
      );
  }
}

function WholeNumber(props: {
  readonly label: string;
  readonly value: number;
  readonly max: number;
  readonly error: string | undefined;
  readonly onChange: (value: number) => void;
}) {
  const { onChange, ...field } = props;
  return (
    <NumberInput
      {...field}
      w="13rem"
      min={1}
      allowDecimal={false}
      clampBehavior="strict"
      onChange={(value) => onChange(typeof value === 'number' ? value : 1)}
    />
  );
}

import { Button, Checkbox, Group, Modal, Text } from '@mantine/core';
import type { FaultScript } from '@partner/proto-contracts/resources/fault-script/fault-script';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { type ApiKey, useAction, useOperation } from '../../api/hooks.js';
import { violationsByField } from '../../api/api-error.js';
import { Form } from '../../parts/form.js';
import { QueryView } from '../../parts/page.js';
import { FaultStepFields } from './fault-step-fields.js';
import { hasRoom, isEmptyScript, newFault } from './fault-steps.js';
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
        <FaultStepFields
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
          disabled={!hasRoom({ requests, webhooks })}
          onClick={() => change({ requests: [...requests, newFault('rate_limited')] })}
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

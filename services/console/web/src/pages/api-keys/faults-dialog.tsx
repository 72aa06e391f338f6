import {
  FAULT_LIMITS,
  type FaultScript,
  NO_FAULTS,
} from '@partner/proto-contracts/resources/fault-script/fault-script';
import { useState } from 'react';
import { type ApiKey, useAction, useOperation } from '../../api/hooks.js';
import { Checkbox, NativeSelect, NumberInput } from '../../parts/fields.js';
import { Form } from '../../parts/form.js';
import { Modal } from '../../parts/overlays.js';
import { Button } from '../../parts/ui.js';
import { QueryView } from '../../parts/page.js';
import { describeFault, FAULTS } from './fault-steps.js';
import { keyName } from './key-labels.js';

/** Shows, sets and removes the fault script of a key. Exists in the sandbox only. */
export function FaultsDialog({ apiKey, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }) {
  const params = { id: apiKey.id };
  const script = useOperation('getFaults', { params });
  return (
    <Modal opened onClose={onClose} title={`Faults for ${keyName(apiKey)}`} size="lg">
      <QueryView query={script} label="the fault script">
        {(stored) => (
          // A script that was changed since it was last shown replaces that one.
          <FaultForm key={JSON.stringify(stored)} params={params} stored={stored} onClose={onClose} />
        )}
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
  const [{ requests, webhooks }, setScript] = useState(stored);
  const change = (part: Partial<FaultScript>) => setScript({ requests, webhooks, ...part });
  return (
    <Form
      action={setting}
      submitLabel="Save faults"
      others={
        <Button variant="default" style={{ marginInlineEnd: 'auto' }} onClick={() => setScript(NO_FAULTS)}>
          Remove all faults
        </Button>
      }
      onSubmit={() => setting.run({ params, body: { requests, webhooks } })}
      onCancel={onClose}
    >
      <p className="small">
        Test how your program handles faults. They apply in this order to the next requests with this key.
        After that, requests work as usual. Changes take effect within 5 seconds and start again with the
        first step.
      </p>
      <ol hidden={requests.length === 0}>
        {requests.map((step, place) => (
          // The steps have no identity besides their place.
          <li key={place}>
            <div className="row between">
              <p className="small">{describeFault(step)}</p>
              <Button
                size="xs"
                variant="default"
                aria-label={`Remove step ${place + 1}`}
                onClick={() => change({ requests: requests.toSpliced(place, 1) })}
              >
                Remove
              </Button>
            </div>
          </li>
        ))}
      </ol>
      {requests.length < FAULT_LIMITS.steps && (
        <NewStep onAdd={(step) => change({ requests: [...requests, step] })} />
      )}
      <Checkbox
        label="Deliver every event twice"
        description="Two deliveries with the same event ID, a second apart, to all webhooks of your company."
        checked={webhooks.duplicate}
        onChange={({ currentTarget: { checked } }) =>
          change({ webhooks: { ...webhooks, duplicate: checked } })
        }
      />
      <Checkbox
        label="Deliver events out of order"
        description="Events from the same 4 seconds arrive in reverse order, up to 8 seconds late."
        checked={webhooks.reorder}
        onChange={({ currentTarget: { checked } }) => change({ webhooks: { ...webhooks, reorder: checked } })}
      />
    </Form>
  );
}

function NewStep({ onAdd }: { readonly onAdd: (step: FaultScript['requests'][number]) => void }) {
  const [kind, setKind] = useState('Rate limit (429)');
  const [times, setTimes] = useState<number | null>(1);
  const fault = FAULTS[kind];
  return (
    <div className="row bottom">
      <NativeSelect
        label="Fault"
        value={kind}
        onChange={({ currentTarget }) => setKind(currentTarget.value)}
        data={Object.keys(FAULTS).map((value) => ({ value, label: value }))}
      />
      <NumberInput
        label="Requests"
        style={{ width: '8rem' }}
        max={FAULT_LIMITS.times}
        value={times}
        onChange={setTimes}
      />
      <Button variant="default" onClick={() => fault && onAdd({ ...fault, times: times ?? 1 })}>
        Add a step
      </Button>
    </div>
  );
}

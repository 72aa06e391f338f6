import { useEffect, useState } from 'react';
import { useAction } from '../../api/hooks.js';
import { TextInput } from '../../parts/fields.js';
import { useDebounced } from '../../parts/hooks.js';
import { sentenceOf } from '@partner/console/shared/error-sentences';

const CHECK_AFTER_MS = 400;

/** Field for the URL of a subscription. It is checked while the owner types. */
export function AddressField(props: {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Why the submitted URL was refused. */
  readonly violation: string | undefined;
}) {
  const { value, onChange, violation } = props;
  const check = useAction('checkUrl');
  const [checked, setChecked] = useState('');
  const settled = useDebounced(value, CHECK_AFTER_MS);
  const { run } = check;
  useEffect(() => {
    setChecked(settled);
    if (settled !== '') run({ body: { url: settled } });
  }, [settled, run]);
  const verdict = value !== '' && value === checked ? check.response : undefined;
  const reason = violation ?? (verdict?.ok === false ? verdict.reason : undefined);
  return (
    <div>
      <TextInput
        label="Endpoint URL"
        description="Events are sent to this URL. It must start with https:// and be reachable from the internet."
        placeholder="https://hooks.your-company.com/partner"
        type="url"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        maxLength={2048}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value.trim())}
        error={reason === undefined ? undefined : sentenceOf(reason, 'The address')}
        required
      />
      <p className="dim small" role="status">
        {reason === undefined &&
          (verdict?.ok === true ? '✓ This address can be used.' : check.isRunning ? 'Checking…' : '')}
      </p>
    </div>
  );
}

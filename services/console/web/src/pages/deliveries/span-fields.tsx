import { DateTimeField } from '../../parts/form.js';
import { Button } from '../../parts/ui.js';

const HOURS = { 'Last hour': 1, 'Last 24 hours': 24, 'Last 7 days': 168, 'Last 30 days': 720 };

interface Span {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** A span of time: fields for both ends, and buttons for those that last until now. */
export function SpanFields(props: {
  readonly span: Span;
  readonly onChange: (span: Span) => void;
  /** Why the end is not accepted. */
  readonly error?: string | undefined;
}) {
  const { span, onChange, error } = props;
  return (
    <>
      <div className="row" role="group" aria-label="Time spans">
        {Object.entries(HOURS).map(([label, hours]) => (
          <Button
            key={label}
            size="xs"
            variant="default"
            onClick={() =>
              onChange({ from: new Date(Date.now() - hours * 3_600_000).toISOString(), to: undefined })
            }
          >
            {label}
          </Button>
        ))}
      </div>
      <DateTimeField label="From" value={span.from} onPick={(from) => onChange({ from })} />
      <DateTimeField label="To" value={span.to} onPick={(to) => onChange({ to })} error={error} />
    </>
  );
}

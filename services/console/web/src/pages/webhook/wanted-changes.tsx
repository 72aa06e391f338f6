import { useState } from 'react';
import { type CatalogueEvent } from '@partner/proto-contracts/resources/event-catalogue/event-catalogue';
import { useAction, useEventCatalogue, type Webhook } from '../../api/hooks.js';
import { Choices } from '../../parts/fields.js';
import { Form } from '../../parts/form.js';
import { QueryView } from '../../parts/page.js';

type Wanted = Readonly<Record<string, readonly string[]>>;

/** What a webhook's events must have changed, as a list. */
export function WantedChanges({ fields }: Pick<Webhook, 'fields'>) {
  const named = Object.entries(fields ?? {});
  if (named.length === 0) return 'Every event is sent';
  return (
    <ul className="plain">
      {named.map(([pattern, names]) => (
        <li key={pattern}>
          <code>{pattern}</code> only if changed: {names.join(', ')}
        </li>
      ))}
    </ul>
  );
}

/** A form for the fields of which one must have changed, for each event or group of the webhook. */
export function WantedChangesForm({
  webhook,
  close,
}: {
  readonly webhook: Webhook;
  readonly close: () => void;
}) {
  const catalogue = useEventCatalogue();
  return (
    <QueryView query={catalogue} label="the fields">
      {({ events }) => <Choice webhook={webhook} events={events} close={close} />}
    </QueryView>
  );
}

function Choice({
  webhook,
  events,
  close,
}: {
  readonly webhook: Webhook;
  readonly events: readonly CatalogueEvent[];
  readonly close: () => void;
}) {
  const update = useAction('updateWebhook', { done: 'Changes saved', onDone: close });
  const [wanted, setWanted] = useState<Wanted>(webhook.fields ?? {});
  const known = [...new Set([...webhook.events, ...Object.keys(webhook.fields ?? {})])]
    .map((pattern) => ({ pattern, fields: fieldsOf(events, pattern) }))
    .filter(({ fields }) => fields.length > 0);
  const toggle = (pattern: string, field: string) => {
    const before = wanted[pattern] ?? [];
    const after = before.includes(field) ? before.filter((name) => name !== field) : [...before, field];
    setWanted(
      Object.fromEntries(
        Object.entries({ ...wanted, [pattern]: after }).filter(([, names]) => names.length > 0),
      ),
    );
  };
  const submit = () => {
    const fields = Object.fromEntries(
      Object.entries(wanted).map(([pattern, names]) => [pattern, [...names]]),
    );
    update.run({
      params: { id: webhook.id },
      body: { fields: Object.keys(fields).length === 0 ? null : fields },
    });
  };
  if (known.length === 0) return <p>The events of this webhook do not say which fields changed.</p>;
  return (
    <Form action={update} submitLabel="Save" onSubmit={submit} onCancel={close}>
      <p className="small">
        An event is sent only if one of the fields selected for it changed. Without any, those of its group
        count; without these too, it is always sent.
      </p>
      {known.map(({ pattern, fields }) => (
        <Choices
          key={pattern}
          label={pattern}
          type="checkbox"
          values={wanted[pattern] ?? []}
          options={fields.map((field) => ({ value: field, label: field }))}
          onToggle={(field) => toggle(pattern, field)}
        />
      ))}
    </Form>
  );
}

function fieldsOf(events: readonly CatalogueEvent[], pattern: string): readonly string[] {
  const named = events.filter(({ name, group }) => name === pattern || `${group}.*` === pattern);
  return [...new Set(named.flatMap(({ fields }) => fields))];
}

import { Checkbox, Code, Input, Stack, Text, TextInput, VisuallyHidden } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { useAction, useEventCatalogue } from '../../api/hooks.js';
import { type EventChoice, groupsFor, isChosen, toggleEvent, toggleGroup } from './webhook-input.js';
import type { CatalogueEvent } from '@partner/proto-contracts/resources/event-catalogue/event-catalogue';
import { sentenceOf } from '../../format.js';
import { QueryView, Small, useOwner } from '../../parts/page.js';
import { CodeBlock } from '../../parts/code.js';
import classes from './webhook.module.css';

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
  const checkSoon = useDebouncedCallback((url: string) => {
    setChecked(url);
    if (url !== '') check.run({ body: { url } });
  }, CHECK_AFTER_MS);
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
        onChange={({ currentTarget }) => {
          const typed = currentTarget.value.trim();
          onChange(typed);
          checkSoon(typed);
        }}
        error={reason === undefined ? undefined : sentenceOf(reason, 'The address')}
        required
      />
      <Text size="sm" c="dimmed" role="status" mt={4}>
        {reason === undefined &&
          (verdict?.ok === true ? '✓ This address can be used.' : check.isRunning ? 'Checking …' : '')}
      </Text>
    </div>
  );
}

interface Choice {
  readonly value: readonly string[];
  readonly onChange: (value: readonly string[]) => void;
}

/** The events of a subscription, chosen from the catalogue by group or one by one. */
export function EventsField({ violation, ...choice }: Choice & { readonly violation: string | undefined }) {
  const catalogue = useEventCatalogue();
  const { company } = useOwner();
  return (
    <Stack gap="xs">
      <div>
        <Small fw={500}>Events</Small>
        <Small c="dimmed">Events that are sent to your server. You can always send test deliveries.</Small>
      </div>
      <QueryView query={catalogue} label="the events">
        {({ events }) =>
          groupsFor(events, company.class).map((group) => (
            <GroupField key={group.group} group={group} choice={choice} />
          ))
        }
      </QueryView>
      {violation !== undefined && <Input.Error role="alert">{violation}</Input.Error>}
    </Stack>
  );
}

function GroupField({ group, choice }: { readonly group: EventChoice; readonly choice: Choice }) {
  const { value, onChange } = choice;
  const isWhole = value.includes(group.pattern);
  return (
    <fieldset className={classes['group']}>
      <VisuallyHidden component="legend">{`About ${group.about}`}</VisuallyHidden>
      <div className={classes['whole']}>
        <Checkbox
          label={
            <>
              {`All ${group.about} events `}
              <Code>{group.pattern}</Code>
            </>
          }
          description="Includes future events."
          checked={isWhole}
          indeterminate={!isWhole && group.events.some((event) => isChosen(value, event))}
          onChange={() => onChange(toggleGroup(value, group))}
        />
      </div>
      <ul className={`plain ${classes['events']}`}>
        {group.events.map((event) => (
          <li key={event.name}>
            <Checkbox
              label={<Code>{event.name}</Code>}
              description={sentenceOf(event.meaning, '')}
              checked={isChosen(value, event)}
              onChange={() => onChange(toggleEvent(value, group, event))}
            />
            <EventDetails event={event} />
          </li>
        ))}
      </ul>
    </fieldset>
  );
}

function EventDetails({ event }: { readonly event: CatalogueEvent }) {
  return (
    <Expandable
      label={
        <>
          Example and schema<VisuallyHidden component="span">{` of ${event.name}`}</VisuallyHidden>
        </>
      }
    >
      <Stack gap="sm" mt="xs">
        <CodeBlock
          label={`Example of ${event.name}`}
          copies="example"
          code={JSON.stringify(event.example, null, 2)}
          maxHeight="18rem"
        />
        <CodeBlock
          label={`JSON Schema of ${event.name}`}
          copies="schema"
          code={JSON.stringify(event.schema, null, 2)}
          maxHeight="18rem"
        />
      </Stack>
    </Expandable>
  );
}

/** Renders its content only when it is open. */
function Expandable({ label, children }: { readonly label: ReactNode; readonly children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={classes['details']} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{label}</summary>
      {isOpen && children}
    </details>
  );
}

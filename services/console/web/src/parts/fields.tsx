import { NativeSelect, type NativeSelectProps, TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';
import { fromLocalInput, toLocalInput } from '../format.js';
import { useEventCatalogue } from '../api/hooks.js';
import { useOwner } from './owner.js';

/** A field for a time in the reader's time zone. `onPick` receives it as ISO text, or undefined when the field is cleared. */
export function DateTimeField(
  props: {
    readonly label: string;
    readonly value: string | undefined;
    readonly onPick: (value: string | undefined) => void;
  } & Pick<TextInputProps, 'description' | 'error' | 'required' | 'w'>,
) {
  const { value, onPick, ...input } = props;
  const shown = toLocalInput(value);
  // The current input overrides the value until a new value is set.
  const [entered, setEntered] = useState({ over: shown, text: shown });
  const text = entered.over === shown ? entered.text : shown;
  const commit = () => {
    if (text !== shown) onPick(fromLocalInput(text));
  };
  return (
    <TextInput
      {...input}
      type="datetime-local"
      step={1}
      max="9999-12-31T23:59:59"
      value={text}
      onChange={(event) => setEntered({ over: shown, text: event.currentTarget.value })}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit();
      }}
    />
  );
}

/** Selects one event, a group of events, or all events that the company's class allows. */
export function EventSelect(
  props: {
    readonly value: string | undefined;
    readonly onPick: (value: string | undefined) => void;
    /** Whether deliveries of tests can be chosen. */
    readonly hasTests?: boolean;
  } & Pick<NativeSelectProps, 'w' | 'description'>,
) {
  const { value, onPick, hasTests = true, ...select } = props;
  const { company } = useOwner();
  const catalogue = useEventCatalogue();
  const events = (catalogue.data?.events ?? [])
    .filter(({ classes }) => classes.includes(company.class))
    .filter(({ name }) => hasTests || name !== 'install.test');
  const groups = [...new Set(events.map(({ group }) => group))];
  const known = new Set([...events.map(({ name }) => name), ...groups.map((group) => `${group}.*`)]);
  return (
    <NativeSelect
      {...select}
      label="Event"
      error={catalogue.error === null ? undefined : 'Could not load the events'}
      value={value ?? ''}
      onChange={(event) => onPick(event.currentTarget.value === '' ? undefined : event.currentTarget.value)}
    >
      <option value="">All events</option>
      {value !== undefined && !known.has(value) && <option value={value}>{value}</option>}
      {groups.map((group) => (
        <optgroup key={group} label={group}>
          <option value={`${group}.*`}>{`All of ${group}`}</option>
          {events
            .filter((event) => event.group === group)
            .map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
        </optgroup>
      ))}
    </NativeSelect>
  );
}

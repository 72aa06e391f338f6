import { NativeSelect, type NativeSelectProps, TextInput, type TextInputProps } from '@mantine/core';
import { type ChangeEvent, type KeyboardEvent, useState } from 'react';
import { useEventCatalogue } from '../api/hooks.js';
import { groupEvents } from '../webhook-facts.js';
import { fromLocalInput, toLocalInput } from '../format.js';
import { useOwner } from './page.js';

/** A choice that can be removed again. */
interface Picked {
  readonly value: string | undefined;
  readonly onPick: (value: string | undefined) => void;
}

/** Props of a field whose text is applied when it loses the focus or with Enter. It overrides the value until a new value is set. */
export function useTyped(value: string, apply: (text: string) => void) {
  const [entered, setEntered] = useState({ over: value, text: value });
  const text = entered.over === value ? entered.text : value;
  const onBlur = () => {
    if (text !== value) apply(text);
  };
  return {
    value: text,
    onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement>) =>
      setEntered({ over: value, text: currentTarget.value }),
    onBlur,
    onKeyDown: ({ key }: KeyboardEvent) => {
      if (key === 'Enter') onBlur();
    },
  };
}

/** A field for a time in the reader's time zone. `onPick` receives it as ISO text, or undefined when the field is cleared. */
export function DateTimeField({
  value,
  onPick,
  ...input
}: Picked & { readonly label: string } & Pick<TextInputProps, 'error'>) {
  const typed = useTyped(toLocalInput(value), (text) => onPick(fromLocalInput(text)));
  return <TextInput {...input} {...typed} type="datetime-local" step={1} max="9999-12-31T23:59:59" />;
}

interface Option {
  readonly value: string;
  readonly label: string;
}

/** Selects one of the options, or all of them by the option `all`. A value that is no option is one too. */
export function PickSelect({
  all,
  options,
  value,
  onPick,
  ...select
}: Picked & {
  readonly label: string;
  readonly all: string;
  readonly options: readonly (Option | { readonly group: string; readonly items: readonly Option[] })[];
} & Pick<NativeSelectProps, 'className' | 'error' | 'maw'>) {
  const known = options.flatMap((option) => ('items' in option ? option.items : option));
  const isUnknown = value !== undefined && known.every((option) => option.value !== value);
  return (
    <NativeSelect
      {...select}
      value={value ?? ''}
      onChange={({ currentTarget }) => onPick(currentTarget.value === '' ? undefined : currentTarget.value)}
      data={[
        { value: '', label: all },
        ...(isUnknown ? [{ value, label: value }] : []),
        ...options.map((option) => ('items' in option ? { ...option, items: [...option.items] } : option)),
      ]}
    />
  );
}

/** Selects one event, a group of events, or all events that the company's class allows. */
export function EventSelect({ hasTests = true, ...select }: Picked & { readonly hasTests?: boolean }) {
  const { company } = useOwner();
  const catalogue = useEventCatalogue();
  const events = (catalogue.data?.events ?? []).filter(
    ({ name, classes }) => classes.includes(company.class) && (hasTests || name !== 'install.test'),
  );
  return (
    <PickSelect
      {...select}
      label="Event"
      all="All events"
      error={catalogue.error === null ? undefined : 'Could not load the events'}
      options={groupEvents(events).map((each) => ({
        group: each.group,
        items: [
          { value: `${each.group}.*`, label: `All of ${each.group}` },
          ...each.events.map(({ name }) => ({ value: name, label: name })),
        ],
      }))}
    />
  );
}

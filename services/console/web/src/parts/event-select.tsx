import { NativeSelect, type NativeSelectProps } from '@mantine/core';
import { useEventCatalogue } from '../api/queries.js';
import { useOwner } from './owner-context.js';

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

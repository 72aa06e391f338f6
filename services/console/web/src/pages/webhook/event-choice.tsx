import { IconChevronRight, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useEventCatalogue } from '../../api/hooks.js';
import { formatCountOf } from '../../format.js';
import {
  type EventChoice as EventsOfGroup,
  groupsFor,
  isChosen,
  toggleEvent,
  toggleGroup,
} from './webhook-input.js';
import classes from './event-choice.module.css';
import { QueryView, useOwner } from '../../parts/page.js';
import { Checkbox, TextInput } from '../../parts/fields.js';
import { ActionIcon } from '../../parts/ui.js';

interface Choice {
  /** Names of events, and patterns of groups. */
  readonly value: readonly string[];
  readonly onChange: (value: readonly string[]) => void;
}

/** The events of a webhook: all of them, or by group or one by one. Groups are closed until they are opened or searched. */
export function EventChoice({
  violation,
  ...choice
}: Choice & {
  /** Why the choice is not accepted. */
  readonly violation: string | undefined;
}) {
  const catalogue = useEventCatalogue();
  const { company } = useOwner();
  return (
    <QueryView query={catalogue} label="the events">
      {({ events }) => <Groups {...choice} groups={groupsFor(events, company.class)} violation={violation} />}
    </QueryView>
  );
}

function Groups({
  groups,
  violation,
  ...choice
}: Choice & { readonly groups: readonly EventsOfGroup[]; readonly violation: string | undefined }) {
  const { value, onChange } = choice;
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const all = groups.map(({ pattern }) => pattern);
  const hasAll = all.every((pattern) => value.includes(pattern));
  const found = groups.map((group) =>
    group.events.filter(({ name, meaning }) => `${name} ${meaning}`.toLowerCase().includes(wanted)),
  );
  return (
    <div className="stack">
      <Checkbox
        label="All events"
        description={`${formatCountOf(groups.flatMap(({ events }) => events).length, 'event', 'events')} today, and any added later.`}
        checked={hasAll}
        indeterminate={!hasAll && value.length > 0}
        onChange={() => onChange(hasAll ? [] : all)}
      />
      <TextInput
        type="search"
        aria-label="Find an event"
        placeholder="Find an event"
        leftSection={<IconSearch size={16} aria-hidden />}
        value={search}
        onChange={({ currentTarget }) => setSearch(currentTarget.value)}
      />
      <div>
        {groups.map((group, place) => (
          <Group
            key={group.group}
            {...choice}
            group={group}
            events={found[place] ?? []}
            isSearched={wanted !== ''}
          />
        ))}
      </div>
      <span className="visually-hidden" role="status">
        {wanted !== '' && `${formatCountOf(found.flat().length, 'event', 'events')} found`}
      </span>
      {found.flat().length === 0 && <small>No event matches.</small>}
      {violation !== undefined && (
        <p className="small" style={{ color: 'var(--bad-text)' }} role="alert">
          {violation}
        </p>
      )}
    </div>
  );
}

function Group({
  value,
  onChange,
  group,
  events,
  isSearched,
}: Choice & {
  readonly group: EventsOfGroup;
  /** Those that are found. */
  readonly events: EventsOfGroup['events'];
  readonly isSearched: boolean;
}) {
  const [isOpened, setOpened] = useState(false);
  const isOpen = isSearched || isOpened;
  const isWhole = value.includes(group.pattern);
  const chosen = group.events.filter((event) => isChosen(value, event)).length;
  const name = `${group.about.charAt(0).toUpperCase()}${group.about.slice(1)} events`;
  if (events.length === 0) return null;
  return (
    <fieldset className={classes['group']}>
      <legend className="visually-hidden">{name}</legend>
      <div className={classes['head']}>
        <ActionIcon
          aria-label={`Show the ${group.about} events`}
          aria-expanded={isOpen}
          disabled={isSearched}
          onClick={() => setOpened(!isOpened)}
        >
          <IconChevronRight size={16} aria-hidden />
        </ActionIcon>
        <Checkbox
          label={name}
          aria-description="Includes events added later."
          checked={isWhole}
          indeterminate={!isWhole && chosen > 0}
          onChange={() => onChange(toggleGroup(value, group))}
        />
        <span className={classes['count']}>{`${chosen} of ${group.events.length}`}</span>
      </div>
      {isOpen && (
        <ul className={`plain ${classes['events']}`}>
          {events.map((event) => (
            <li key={event.name}>
              <Checkbox
                label={event.name}
                description={event.meaning}
                checked={isChosen(value, event)}
                onChange={() => onChange(toggleEvent(value, group, event))}
              />
            </li>
          ))}
        </ul>
      )}
    </fieldset>
  );
}

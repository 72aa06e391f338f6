import type { CatalogueEvent } from '@partner/proto-contracts/resources/event-catalogue/event-catalogue';
import { Anchor, Code, Group, SegmentedControl, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconListSearch, IconSearch } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useLocation, useSearchParams } from 'react-router';
import { useEventCatalogue } from '../../api/hooks.js';
import { formatCountOf } from '../../format.js';
import { EmptyPanel, PageHeader, Panel, QueryView, Small, TextLink, useOwner } from '../../parts/page.js';
import { StateDot, DataTable } from '../../parts/data.js';
import { CodeBlock, CopyButton } from '../../parts/code.js';
import { PATHS } from '../../paths.js';
import type { EventGroup } from '../../webhook-facts.js';
import classes from './catalogue.module.css';
import { findEvents, schemaFields } from './schema-fields.js';

/** Page of the event catalogue. */
export function Page() {
  const catalogue = useEventCatalogue();
  return (
    <>
      <PageHeader
        title="Events"
        description={
          <>
            Events that webhooks can send, and their fields. Every delivery is signed; use{' '}
            <TextLink to={PATHS.receiverCode}>the receiver code to verify it</TextLink>.
          </>
        }
      />
      <QueryView query={catalogue} label="the event catalogue">
        {({ events }) => <Catalogue events={events} />}
      </QueryView>
    </>
  );
}

function Catalogue({ events }: { readonly events: readonly CatalogueEvent[] }) {
  const { company } = useOwner();
  const [query, setQuery] = useSearchParams();
  const { hash } = useLocation();
  const named = decodeURIComponent(hash.slice(1));
  const search = query.get('search') ?? '';
  // A link to an event also works for a class that does not receive it.
  const showsAll = query.get('show') === 'all' || named !== '';
  const groups = findEvents(events, { search, forClass: showsAll ? undefined : company.class });
  const count = groups.reduce((sum, group) => sum + group.events.length, 0);

  useEffect(() => {
    if (named !== '') document.getElementById(named)?.scrollIntoView();
  }, [named]);

  const change = (changed: Readonly<Record<string, string>>) => {
    const next = { search, show: showsAll ? 'all' : '', ...changed };
    const given = Object.entries(next).filter(([, value]) => value !== '');
    setQuery(Object.fromEntries(given), { replace: true, preventScrollReset: true });
  };
  return (
    <Stack gap="lg">
      <Group align="flex-end" gap="md">
        <TextInput
          type="search"
          label="Search"
          description="By name, meaning or field"
          leftSection={<IconSearch size={16} aria-hidden />}
          value={search}
          onChange={({ currentTarget }) => change({ search: currentTarget.value })}
          w={{ base: '100%', sm: 320 }}
        />
        <SegmentedControl
          aria-label="Which events"
          value={showsAll ? 'all' : 'own'}
          onChange={(value) => change({ show: value === 'all' ? 'all' : '' })}
          data={[
            { value: 'own', label: 'For your company' },
            { value: 'all', label: 'All events' },
          ]}
        />
        <Text size="sm" c="dimmed" role="status" py={8}>
          {formatCountOf(count, 'event', 'events')}
        </Text>
      </Group>
      {groups.length === 0 && (
        <EmptyPanel title="No event found" icon={<IconListSearch size={28} />}>
          No event has “{search}” in its name, meaning or fields.
        </EmptyPanel>
      )}
      {groups.map((group) => (
        <GroupPanel key={group.group} {...group} named={named} />
      ))}
    </Stack>
  );
}

function GroupPanel({ group, events, named }: EventGroup & { readonly named: string }) {
  return (
    <Panel title={`${group}.*`}>
      <Text size="sm" c="dimmed" mb="xs">
        A webhook with <Code>{`${group}.*`}</Code> receives every event of this group that your company can
        subscribe to, including future ones.
      </Text>
      {events.map((event) => (
        <Event key={event.name} event={event} isNamed={event.name === named} />
      ))}
    </Panel>
  );
}

const CLASS_NAMES = { SALES: 'sales', INSTALLER: 'installer', ACCOUNTING: 'accounting' } as const;

function Event({ event, isNamed }: { readonly event: CatalogueEvent; readonly isNamed: boolean }) {
  const { company } = useOwner();
  const { name, meaning, classes: mayHave, schemaVersion } = event;
  const isOwn = mayHave.includes(company.class);
  return (
    <article className={classes['event']} id={name} aria-label={name}>
      <Group gap="xs" mb={4}>
        <Title order={3} ff="monospace">
          {name}
        </Title>
        <Anchor href={`#${name}`} size="sm" aria-label={`Link to ${name}`}>
          #
        </Anchor>
        <CopyButton isSmall value={name} what={`name ${name}`} />
      </Group>
      <Text mb="xs">{`${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}.`}</Text>
      <Group gap="xs" mb="xs">
        {isOwn ? (
          <StateDot tone="good" label="Available to your company" />
        ) : (
          <StateDot tone="quiet" label="Not available to your company" />
        )}
        <Small c="dimmed">
          {`For ${new Intl.ListFormat('en').format(mayHave.map((each) => CLASS_NAMES[each]))} companies · schema version ${schemaVersion}`}
        </Small>
      </Group>
      <Contents event={event} isNamed={isNamed} />
    </article>
  );
}

/** Fields of an event. Opened for the event in the address. */
function Contents({ event, isNamed }: { readonly event: CatalogueEvent; readonly isNamed: boolean }) {
  const [isOpen, setOpen] = useState(isNamed);
  useEffect(() => {
    if (isNamed) setOpen(true);
  }, [isNamed]);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Fields and example</summary>
      {isOpen && (
        <Stack gap="md" mt="sm">
          <DataTable
            caption={`Fields of ${event.name}`}
            rows={schemaFields(event.schema)}
            rowKey={({ path }) => path}
            columns={{
              Field: ({ path }) => <Code fz="sm">{path}</Code>,
              Holds: ({ type }) => type,
              Meaning: ({ meaning }) => (meaning === '' ? '–' : meaning),
            }}
          />
          <Small c="dimmed">New fields can be added at any time: ignore fields that you don’t know.</Small>
          <CodeBlock label={`Example of ${event.name}`} code={JSON.stringify(event.example, null, 2)} />
          <CodeBlock
            label={`JSON Schema of ${event.name}`}
            code={JSON.stringify(event.schema, null, 2)}
            maxHeight="16rem"
          />
        </Stack>
      )}
    </details>
  );
}

import type { CatalogueEvent } from '@partner/proto-contracts/resources/event-catalogue/event-catalogue';
import { IconListSearch, IconSearch } from '@tabler/icons-react';
import { useSearchParams } from 'react-router';
import { Link } from '../../parts/link.js';
import { useEventCatalogue } from '../../api/hooks.js';
import { formatCountOf } from '../../format.js';
import { EmptyState, PageHeader, Panel, QueryView, useOwner } from '../../parts/page.js';
import { DataTable } from '../../parts/data.js';
import { PATHS } from '../../paths.js';
import { Checkbox, TextInput } from '../../parts/fields.js';
import { findEvents } from './find-events.js';

/** Page of the event catalogue. */
export function Page() {
  const catalogue = useEventCatalogue();
  return (
    <>
      <PageHeader
        title="Events"
        description={
          <>
            Events that webhooks can send. Every delivery is signed; use{' '}
            <Link to={PATHS.receiverCode}>the receiver code to verify it</Link>.
          </>
        }
      />
      <QueryView query={catalogue} label="the event catalogue">
        {({ events }) => <Catalogue events={events} />}
      </QueryView>
    </>
  );
}

const CLASS_NAMES = { SALES: 'sales', INSTALLER: 'installer', ACCOUNTING: 'accounting' } as const;

/** The events by group. Each leads to its fields and its example in the API reference. */
function Catalogue({ events }: { readonly events: readonly CatalogueEvent[] }) {
  const { company } = useOwner();
  const [query, setQuery] = useSearchParams();
  const search = query.get('search') ?? '';
  const show = query.get('show') === 'all' ? 'all' : 'own';
  const groups = findEvents(events, { search, forClass: show === 'all' ? undefined : company.class });
  const count = groups.reduce((sum, group) => sum + group.events.length, 0);
  const change = (changed: Readonly<Record<string, string>>) =>
    setQuery(
      Object.entries({ search, show, ...changed }).filter(([, value]) => value !== '' && value !== 'own'),
      { replace: true, preventScrollReset: true },
    );
  return (
    <div className="sections">
      <div className="row bottom">
        <TextInput
          type="search"
          label="Search"
          description="By name, meaning or field"
          leftSection={<IconSearch size={16} aria-hidden />}
          value={search}
          onChange={({ currentTarget }) => change({ search: currentTarget.value })}
          style={{ width: 'min(100%, 320px)' }}
        />
        <Checkbox
          label="Show events of other kinds of companies too"
          checked={show === 'all'}
          onChange={({ currentTarget }) => change({ show: currentTarget.checked ? 'all' : 'own' })}
        />
        <p className="dim small" role="status">
          {formatCountOf(count, 'event', 'events')}
        </p>
      </div>
      {groups.length === 0 && (
        <EmptyState title="No event found" icon={<IconListSearch size={28} />}>
          No event has “{search}” in its name, meaning or fields.
        </EmptyState>
      )}
      {groups.map(({ group, events: found }) => (
        <Panel key={group} title={`${group}.*`}>
          <p className="dim small">
            A webhook with <code>{`${group}.*`}</code> receives every event of this group that your company
            can subscribe to, including future ones.
          </p>
          <DataTable
            caption={`Events of ${group}`}
            rows={found}
            rowKey={({ name }) => name}
            columns={{
              Event: ({ name }) => <a href={`/docs/webhooks#event-${name}`}>{name}</a>,
              'What happened': ({ meaning }) => `${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}`,
              'For companies of': ({ classes }) => classes.map((each) => CLASS_NAMES[each]).join(', '),
            }}
            widths={{ 'For companies of': '11rem' }}
          />
        </Panel>
      ))}
    </div>
  );
}

import { IconHistory } from '@tabler/icons-react';
import {
  AUDIT_ACTIONS,
  AUDIT_RETENTION_DAYS,
} from '@partner/proto-contracts/resources/audit-entry/audit-entry';
import { useSearchParams } from 'react-router';
import { Link } from '../../parts/link.js';
import { useOperationList, useWebhooks } from '../../api/hooks.js';
import { browserName } from '../../browser-name.js';
import { formatExact } from '../../format.js';
import { Details, EmptyState, LoadMore, PageHeader, QueryView } from '../../parts/page.js';
import { DataTable, Facts, PastTime } from '../../parts/data.js';
import { webhookName } from '../../webhook-facts.js';
import { actionLabel, type AuditEntry, describeEntry, detailsByLabel, subjectPath } from './audit-labels.js';
import { PickSelect } from '../../parts/form.js';

/** Page of the audit log. */
export function Page() {
  const [query, setQuery] = useSearchParams();
  const action = AUDIT_ACTIONS.find((known) => known === query.get('action'));
  const trail = useOperationList(
    'listAuditEntries',
    { query: { action, limit: 50 } },
    ({ entries }) => entries,
  );
  return (
    <>
      <PageHeader
        title="Audit log"
        description={`Changes made by your company’s owners and API keys, or by the service’s operator for you. Entries are read-only and kept for ${AUDIT_RETENTION_DAYS} days.`}
      />
      <PickSelect
        label="Show"
        all="All actions"
        style={{ maxWidth: '320px' }}
        value={action}
        onPick={(picked) =>
          setQuery(picked === undefined ? {} : { action: picked }, {
            replace: true,
            preventScrollReset: true,
          })
        }
        options={AUDIT_ACTIONS.map((known) => ({ value: known, label: actionLabel(known) }))}
      />
      <QueryView query={trail} label="the audit log">
        {(entries) =>
          entries.length === 0 ? (
            <EmptyState title="No entries" icon={<IconHistory size={28} />}>
              {action === undefined ? 'No changes yet.' : `No entries for “${actionLabel(action)}”.`}
            </EmptyState>
          ) : (
            <div className="stack" aria-busy={trail.isStale}>
              <Entries entries={entries} />
              <LoadMore shown={entries.length} what="entries" list={trail} />
            </div>
          )
        }
      </QueryView>
    </>
  );
}

function Entries({ entries }: { readonly entries: readonly AuditEntry[] }) {
  const webhooks = useWebhooks();
  const names = new Map(webhooks.data?.subscriptions.map((webhook) => [webhook.id, webhookName(webhook)]));
  const nameOf = (id: string) => names.get(id);
  return (
    <DataTable
      caption="Changes, newest first"
      rows={entries}
      rowKey={({ id }) => id}
      widths={{ Who: '11rem', When: '9rem', Source: '11rem' }}
      columns={{
        What: (entry) => (
          <>
            <b className="small">{describeEntry(entry, nameOf)}</b>
            <EntryDetails entry={entry} path={subjectPath(entry, nameOf)} />
          </>
        ),
        Who: ({ actor }) => actor?.displayName ?? 'Not signed in',
        When: ({ at }) => <PastTime at={at} />,
        Source: ({ remoteAddress, userAgent }) => (
          <div>
            <div>{remoteAddress ?? 'Unknown address'}</div>
            <small>{browserName(userAgent)}</small>
          </div>
        ),
      }}
    />
  );
}

function EntryDetails({ entry, path }: { readonly entry: AuditEntry; readonly path: string | undefined }) {
  const { at, subject, userAgent, requestId, details } = entry;
  const facts = () => ({
    ...detailsByLabel(details),
    Time: formatExact(new Date(at)),
    About: subject.id,
    Browser: userAgent,
    'Request ID': requestId,
  });
  return (
    <Details summary="Details">
      {() => (
        <>
          <Facts facts={facts()} />
          {path !== undefined && <Link to={path}>View subject</Link>}
        </>
      )}
    </Details>
  );
}

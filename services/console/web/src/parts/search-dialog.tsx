import { IconSearch } from '@tabler/icons-react';
import { type KeyboardEvent, useId, useState } from 'react';
import { useNavigate } from 'react-router';
import { useOperationList, useWebhooks } from '../api/hooks.js';
import { PATHS } from '../paths.js';
import { webhookName } from '../webhook-facts.js';
import { TextInput } from './fields.js';
import { useDebounced } from './hooks.js';
import { Modal } from './overlays.js';
import { useOwner } from './page.js';
import classes from './search-dialog.module.css';

/** Pause in typing after which the service is asked, in milliseconds. */
const PAUSE_MS = 200;
const MAX_WEBHOOKS = 5;

/** A page that the search finds by its name. */
export interface PageEntry {
  readonly to: string;
  readonly label: string;
}

interface Hit extends PageEntry {
  readonly hint?: string;
}

/** Finds a work order, a job, an event, a delivery, a webhook, a page or an action, and opens what is chosen. */
export function SearchDialog(props: { readonly pages: readonly PageEntry[]; readonly onClose: () => void }) {
  const navigate = useNavigate();
  const listId = useId();
  const [typed, setTyped] = useState('');
  const [reached, setReached] = useState(0);
  const groups = useHits(typed.trim(), props.pages);
  const found = groups.flatMap(([, hits]) => hits);
  const choose = (hit: Hit | undefined) => {
    if (hit === undefined) return;
    props.onClose();
    void navigate(hit.to);
  };
  const move = (event: KeyboardEvent) => {
    if (event.key === 'Enter') choose(found[reached]);
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by === undefined || found.length === 0) return;
    event.preventDefault();
    const next = (reached + by + found.length) % found.length;
    setReached(next);
    document.getElementById(`${listId}-${next}`)?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <Modal opened onClose={props.onClose} title="Search" size="lg">
      <TextInput
        role="combobox"
        aria-label="Search"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={found.length === 0 ? undefined : `${listId}-${reached}`}
        description="Work order, webhook, page, or the ID of a job, event or delivery"
        leftSection={<IconSearch size={16} aria-hidden />}
        value={typed}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value);
          setReached(0);
        }}
        onKeyDown={move}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
      />
      <div role="listbox" id={listId} aria-label="Results" className={classes['hits']}>
        {groups.map(([group, hits]) => (
          <div key={group} role="group" aria-label={group}>
            <small aria-hidden>{group}</small>
            {hits.map((hit) => {
              const place = found.indexOf(hit);
              return (
                <div
                  key={`${hit.to} ${hit.label}`}
                  role="option"
                  id={`${listId}-${place}`}
                  aria-selected={place === reached}
                  onClick={() => choose(hit)}
                >
                  {hit.label}
                  {hit.hint !== undefined && <span className="dim">{` ${hit.hint}`}</span>}
                </div>
              );
            })}
          </div>
        ))}
      </div>
      {groups.length === 0 && <p role="status">Nothing found</p>}
    </Modal>
  );
}

/** Returns what a text names, by groups. Only whole work orders and IDs are found. */
function useHits(text: string, pages: readonly PageEntry[]): readonly (readonly [string, readonly Hit[]])[] {
  const isOwner = useOwner().owner.role === 'owner';
  const webhooks = useWebhooks().data?.subscriptions ?? [];
  const asked = useDebounced(text, PAUSE_MS);
  const isResource = /^(?!evt_|dlv_).{3,200}$/.test(asked);
  const events = useOperationList(
    'listEvents',
    { query: { resourceId: asked, limit: 1 } },
    (page) => page.events,
    isResource,
  );
  const has = (...texts: readonly string[]) =>
    texts.some((each) => each.toLowerCase().includes(text.toLowerCase()));
  const [newest] = isResource && asked === text && !events.isStale ? (events.data ?? []) : [];
  const actions = isOwner ? [{ to: PATHS.createWebhook, label: 'Create a webhook' }] : [];
  const hits: Readonly<Record<string, readonly Hit[]>> = {
    'Work orders and jobs':
      newest === undefined ? [] : [{ to: PATHS.why(text), label: text, hint: `Last event: ${newest.event}` }],
    'Events and deliveries': [
      ...(text.startsWith('evt_') ? [{ to: PATHS.whyEvent(text), label: `Trace ${text}` }] : []),
      ...(text.startsWith('dlv_') ? [{ to: PATHS.delivery(text), label: `Open ${text}` }] : []),
    ],
    Webhooks: (text === '' ? [] : webhooks)
      .filter(({ id, url, description }) => has(id, url, description))
      .slice(0, MAX_WEBHOOKS)
      .map((webhook) => ({ to: PATHS.webhook(webhook.id), label: webhookName(webhook) })),
    Pages: pages.filter(({ label }) => has(label)),
    Actions: [
      ...actions.filter(({ label }) => has(label)),
      ...(text === ''
        ? []
        : [{ to: PATHS.deliveries({ search: text }), label: `Show deliveries of “${text}”` }]),
    ],
  };
  return Object.entries(hits).filter(([, found]) => found.length > 0);
}

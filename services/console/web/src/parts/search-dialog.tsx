import { Combobox, Modal, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useNavigate } from 'react-router';
import { useOperationList, useWebhooks } from '../api/hooks.js';
import { PATHS } from '../paths.js';
import { webhookName } from '../webhook-facts.js';
import { useOwner } from './page.js';

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
  const [typed, setTyped] = useState('');
  const store = useCombobox({ opened: true });
  const groups = useHits(typed.trim(), props.pages);
  const found = groups.flatMap(([, hits]) => hits.map(({ to }) => to)).join();
  const { selectFirstOption } = store;
  useEffect(() => void selectFirstOption(), [found, selectFirstOption]);
  return (
    <Modal opened onClose={props.onClose} title="Search" centered={false} yOffset="10vh" size="lg">
      <Combobox
        store={store}
        onOptionSubmit={(to) => {
          props.onClose();
          void navigate(to);
        }}
      >
        <Combobox.EventsTarget withExpandedAttribute>
          <TextInput
            role="combobox"
            aria-label="Search"
            description="Work order, webhook, page, or the ID of a job, event or delivery"
            leftSection={<IconSearch size={16} aria-hidden />}
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
          />
        </Combobox.EventsTarget>
        <Combobox.Options mt="sm" mah="50dvh" style={{ overflowY: 'auto' }} aria-label="Hits">
          {groups.map(([group, hits]) => (
            <Combobox.Group key={group} label={group}>
              {hits.map(({ to, label, hint }) => (
                <Combobox.Option key={`${to} ${label}`} value={to}>
                  {label}
                  {hint !== undefined && <small>{` ${hint}`}</small>}
                </Combobox.Option>
              ))}
            </Combobox.Group>
          ))}
          {groups.length === 0 && <Combobox.Empty>Nothing found</Combobox.Empty>}
        </Combobox.Options>
      </Combobox>
    </Modal>
  );
}

/** Returns what a text names, by groups. Only whole work orders and IDs are found. */
function useHits(text: string, pages: readonly PageEntry[]): readonly (readonly [string, readonly Hit[]])[] {
  const isOwner = useOwner().owner.role === 'owner';
  const webhooks = useWebhooks().data?.subscriptions ?? [];
  const [asked] = useDebouncedValue(text, PAUSE_MS);
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

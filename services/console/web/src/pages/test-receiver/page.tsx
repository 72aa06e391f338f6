import { IconInbox } from '@tabler/icons-react';
import { useSearchParams } from 'react-router';
import { type Output, useOperation, useWebhooks } from '../../api/hooks.js';
import { CodeBlock } from '../../parts/code.js';
import { DataTable, ExactTime, PastTime, RowLink, StateDot, type Look } from '../../parts/data.js';
import { EmptyState, LinkButton, Notice, OwnerOnly, PageHeader, Panel, QueryView } from '../../parts/page.js';
import { PATHS } from '../../paths.js';
import { webhookName } from '../../webhook-facts.js';
import { Body, Headers } from '../delivery/response.js';

type Receiver = Output<'getTestReceiver'>;

const SIGNATURE_LOOKS: Readonly<Record<Receiver['requests'][number]['signature'], Look>> = {
  valid: { tone: 'good', label: 'Valid' },
  invalid: { tone: 'bad', label: 'Not valid' },
  missing: { tone: 'quiet', label: 'None' },
};

/** Page of what arrived at the company's test receiver, in the sandbox. */
export function Page() {
  const receiver = useOperation('getTestReceiver', {});
  const [query] = useSearchParams();
  const id = query.get('request');
  return (
    <>
      <PageHeader
        title="Test receiver"
        description="Receives webhooks in the sandbox, so that you can see them before you have a server. It accepts everything and keeps the last 50 requests for 24 hours."
      />
      <QueryView query={receiver} label="the test receiver">
        {({ url, requests }) => (
          <div className="sections">
            {url === null ? (
              <Notice tone="info">Webhooks can’t reach this installation, so it has no test receiver.</Notice>
            ) : (
              <OwnerOnly>
                <Address url={url} />
              </OwnerOnly>
            )}
            {requests.length === 0 ? (
              <EmptyState title="Nothing has arrived yet" icon={<IconInbox size={28} />}>
                Create a webhook with this address and send a test event.
              </EmptyState>
            ) : (
              <Requests requests={requests} />
            )}
            {id !== null && <Request key={id} id={id} />}
          </div>
        )}
      </QueryView>
    </>
  );
}

function Address({ url }: { readonly url: string }) {
  return (
    <Panel
      title="Address"
      actions={
        <LinkButton
          to={`${PATHS.createWebhook}?${new URLSearchParams({ url }).toString()}`}
          variant="default"
        >
          Create a webhook for it
        </LinkButton>
      }
    >
      <CodeBlock label="URL of your test receiver" code={url} />
    </Panel>
  );
}

function Requests({ requests }: Pick<Receiver, 'requests'>) {
  const webhooks = useWebhooks().data?.subscriptions;
  const nameOf = (id: string | null) => {
    const webhook = webhooks?.find((each) => each.id === id);
    return webhook === undefined ? '–' : webhookName(webhook);
  };
  return (
    <DataTable
      caption="Requests that arrived, newest first"
      rows={requests}
      rowKey={({ id }) => id}
      columns={{
        Event: ({ id, event }) => <RowLink to={PATHS.testRequest(id)} name={event ?? 'No event'} />,
        Webhook: ({ webhookId }) => nameOf(webhookId),
        Signature: ({ signature }) => <StateDot {...SIGNATURE_LOOKS[signature]} />,
        Arrived: ({ receivedAt }) => <PastTime at={receivedAt} />,
      }}
      widths={{ Signature: '8rem', Arrived: '10rem' }}
    />
  );
}

function Request({ id }: { readonly id: string }) {
  const request = useOperation('getTestRequest', { params: { id } }, { isLive: false });
  return (
    <QueryView query={request} label="the request">
      {({ event, receivedAt, headers, body }) => (
        <Panel title={event ?? 'Request'} actions={<ExactTime at={receivedAt} />}>
          <Body name="Body" body={body} />
          <Headers name="Headers" headers={Object.entries(headers)} />
        </Panel>
      )}
    </QueryView>
  );
}

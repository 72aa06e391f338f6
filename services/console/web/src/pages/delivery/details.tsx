import { LIMITS } from '@partner/proto-contracts/api/limits';
import { useState } from 'react';
import { Link } from '../../parts/link.js';
import { type Attempt, type Delivery, type Output, useWebhook, type Webhook } from '../../api/hooks.js';
import { CopyButton } from '../../parts/code.js';
import { Advice, ExactTime, Facts, useNow } from '../../parts/data.js';
import { Notice, Panel } from '../../parts/page.js';
import { Tabs } from '../../parts/overlays.js';
import { PATHS } from '../../paths.js';
import classes from './delivery.module.css';
import { sumUp } from './explain-attempt.js';
import { Request, Script } from './request.js';
import { Response } from './response.js';
import { Timeline } from './timeline.js';

/** What became of a delivery, and its attempts: beside each other, or in little space as tabs. */
export function Details(
  props: Output<'getDelivery'> & { readonly isNarrow?: boolean; readonly noReplay?: string | undefined },
) {
  const { delivery, attempts, body, isNarrow = false, noReplay } = props;
  const now = useNow();
  const webhook = useWebhook(delivery.subscriptionId).data;
  const [tab, setTab] = useState<'response' | 'request' | 'script' | 'attempts'>('response');
  const newest = attempts.at(-1);
  // A choice holds until there is a newer attempt, which opens automatically.
  const [picked, setPicked] = useState({ id: newest?.deliveryId, newest: newest?.deliveryId });
  const attempt =
    picked.newest === newest?.deliveryId
      ? attempts.find(({ deliveryId }) => deliveryId === picked.id)
      : newest;
  const perSecond = webhook?.deliveriesPerSecond ?? null;
  const { tone, what, advice } = sumUp(delivery, attempts, now, perSecond);
  const url = delivery.testUrl === null ? webhook?.url : undefined;
  const sent = { delivery, attempt, body, url };
  const timeline = (
    <Timeline
      {...{ delivery, attempts, perSecond, selected: attempt }}
      onSelect={({ deliveryId }) => {
        setPicked({ id: deliveryId, newest: newest?.deliveryId });
        if (isNarrow) setTab('response');
      }}
    />
  );
  const tabs = (
    <Tabs
      label={attempt === undefined ? 'Delivery' : `Attempt ${attempt.number}`}
      value={tab}
      onChange={setTab}
      tabs={{
        response: [
          'Response',
          <Response attempt={attempt} isNewest={attempt === newest} isNarrow={isNarrow} />,
        ],
        request: ['Request', <Request {...sent} />],
        ...(isNarrow
          ? { attempts: ['Attempts', timeline] as const }
          : {
              script: [
                'Script',
                <Script {...sent} secretVersion={webhook?.secretVersion ?? attempt?.secretVersion ?? 1} />,
              ] as const,
            }),
      }}
    />
  );
  return (
    <div className="sections">
      <Notice tone={tone} title={what}>
        {advice.length > 0 && <Advice advice={advice} />}
      </Notice>
      {isNarrow ? (
        tabs
      ) : (
        <div className={classes['columns']}>
          <Panel title={`Attempts: ${delivery.attempts} of ${LIMITS.webhookAttempts}`}>{timeline}</Panel>
          <div>{tabs}</div>
          <DeliveryFacts {...{ delivery, webhook, attempt, noReplay }} />
        </div>
      )}
    </div>
  );
}

/** An id with its middle cut out, and a button that copies it. */
function Id({ id, what }: { readonly id: string; readonly what: string }) {
  return (
    <span className="row">
      <code title={id}>{shortId(id)}</code>
      <CopyButton value={id} what={what} />
    </span>
  );
}

const shortId = (id: string) => `${id.slice(0, 8)}…${id.slice(-5)}`;

function DeliveryFacts(props: {
  readonly delivery: Delivery;
  readonly webhook: Webhook | undefined;
  readonly attempt: Attempt | undefined;
  /** Explains why the delivery cannot be replayed. */
  readonly noReplay: string | undefined;
}) {
  const { delivery, webhook, attempt, noReplay } = props;
  const { resource, finishedAt, replayOf, bulkReplayId, waitsFor } = delivery;
  return (
    <Facts
      facts={{
        Delivery: <Id id={delivery.id} what="delivery ID" />,
        Attempt: attempt && <Id id={attempt.deliveryId} what="attempt ID" />,
        Event: <Id id={delivery.eventId} what="event ID" />,
        About: (
          <Link to={PATHS.why(resource.id)}>
            {delivery.workOrderNo ?? `${resource.type.replaceAll('_', ' ')} ${shortId(resource.id)}`}
          </Link>
        ),
        'Sent to': delivery.testUrl ?? webhook?.url,
        Finished: finishedAt && <ExactTime at={finishedAt} />,
        'Signed with': attempt && `Secret version ${attempt.secretVersion}`,
        Number: delivery.number,
        'Waits for': waitsFor && <Link to={PATHS.delivery(waitsFor)}>{shortId(waitsFor)}</Link>,
        'Replay of': replayOf && <Link to={PATHS.delivery(replayOf)}>{shortId(replayOf)}</Link>,
        'Queued by': bulkReplayId && <Link to={PATHS.bulkReplay(delivery.subscriptionId)}>Bulk retry</Link>,
        Replay: noReplay,
      }}
    />
  );
}

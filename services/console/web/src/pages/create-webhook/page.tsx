import { WEBHOOK_LIMITS } from '@partner/proto-contracts/api/limits';
import { IconCheck } from '@tabler/icons-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useNavigate, useParams, useSearchParams } from 'react-router';
import { Link } from '../../parts/link.js';
import { useAction, useWebhook, useWebhooks, type Webhook } from '../../api/hooks.js';
import { SecretOnce } from '../../parts/code.js';
import { Form, StartButton, useFields } from '../../parts/form.js';
import { LinkButton, Notice, PageHeader, QueryView } from '../../parts/page.js';
import { pageEnvironment } from '../../page-settings.js';
import { PATHS } from '../../paths.js';
import { useLeaveQuestion } from '../../unsaved.js';
import { webhookName } from '../../webhook-facts.js';
import { TextInput } from '../../parts/fields.js';
import { EventChoice } from '../webhook/event-choice.js';
import { AddressField } from '../webhook/fields.js';
import { TestSteps, UNSTORED_SECRET, useTestDelivery } from '../webhook/steps.js';
import { eventsViolation } from '../webhook/webhook-input.js';
import classes from './create-webhook.module.css';

/** Secrets of new webhooks until their page is left. They are in no storage, so a reload forgets them. */
const newSecrets = new Map<string, string>();

/** Pages that lead to a new, active webhook: an address for each step. */
export function Page() {
  const { id } = useParams();
  return id === undefined ? <NewWebhook /> : <SetUp id={id} />;
}

function NewWebhook() {
  const webhooks = useWebhooks();
  return (
    <QueryView query={webhooks} label="your webhooks">
      {(data) =>
        data.subscriptions.length < WEBHOOK_LIMITS.subscriptionsPerCompany ? (
          <NewWebhookForm />
        ) : (
          <>
            <Header title="Create a webhook" />
            <Notice
              tone="info"
              title={`Your company has ${data.subscriptions.length} webhooks, which is the maximum`}
            >
              Delete one first.
            </Notice>
          </>
        )
      }
    </QueryView>
  );
}

const Header = ({ title }: { readonly title: string }) => (
  <PageHeader title={title} back={{ to: PATHS.webhooks, label: 'Webhooks' }} />
);

/** The address, then the events; the webhook is created with both. */
function NewWebhookForm() {
  const navigate = useNavigate();
  const [query] = useSearchParams();
  const check = useAction('checkUrl', {
    onDone: ({ ok }) => ok && void navigate(`${PATHS.createWebhook}?step=events`),
  });
  const create = useAction('createWebhook', {
    onDone: ({ subscription: { id }, secret }) => {
      newSecrets.set(id, secret);
      clear();
      void navigate(PATHS.setUpWebhook(id), { replace: true });
    },
  });
  const { values, violations, field, set, clear } = useFields(
    { url: query.get('url') ?? '', description: '', events: '' },
    create.error,
  );
  const { url, description } = values;
  const events = values.events === '' ? [] : values.events.split(' ');
  const refused = check.response?.ok === false ? check.response.reason : undefined;
  const isLast = query.get('step') === 'events' && url !== '';
  const submit = () =>
    isLast
      ? create.run({ body: { url, events, ...(description !== '' && { description }) } })
      : check.run({ body: { url } });
  return (
    <>
      <Header key={String(isLast)} title={isLast ? webhookName({ url, description }) : 'Create a webhook'} />
      <Steps current={isLast ? 1 : 0}>
        <Form
          action={isLast ? create : check}
          submitLabel={isLast ? 'Create webhook' : 'Continue'}
          button={{ disabled: isLast && events.length === 0 }}
          isLong
          onSubmit={submit}
          others={
            <LinkButton to={isLast ? PATHS.createWebhook : PATHS.webhooks} variant="default">
              {isLast ? 'Back' : 'Cancel'}
            </LinkButton>
          }
        >
          {isLast ? (
            <EventChoice
              value={events}
              onChange={(chosen) => set({ events: chosen.join(' ') })}
              violation={eventsViolation(violations)}
            />
          ) : (
            <>
              <AddressField
                value={url}
                onChange={(changed) => {
                  set({ url: changed });
                  check.reset();
                  create.reset();
                }}
                violation={violations['url'] ?? refused}
              />
              {url === '' && pageEnvironment() === 'sandbox' && (
                <p className="dim small">
                  No server yet? Use your <Link to={PATHS.testReceiver}>test receiver</Link>.
                </p>
              )}
              <TextInput
                label="Name (optional)"
                description="Tells your colleagues what this webhook is for."
                maxLength={200}
                {...field('description')}
              />
            </>
          )}
        </Form>
      </Steps>
    </>
  );
}

/** Secret, test and activation of a webhook. It can be left and continued. */
function SetUp({ id }: { readonly id: string }) {
  const webhook = useWebhook(id);
  return (
    <>
      <Header title={webhook.data === undefined ? 'Set up a webhook' : webhookName(webhook.data)} />
      <QueryView query={webhook} label="the webhook">
        {(found) => (
          <Steps current={found.state === 'active' ? 3 : 2}>
            {found.state === 'active' ? (
              <Notice tone="good" title="Your webhook is active" isAlert>
                Events are sent from now on. <Link to={PATHS.webhook(id)}>View webhook</Link>
              </Notice>
            ) : (
              <SecretAndTest webhook={found} />
            )}
          </Steps>
        )}
      </QueryView>
    </>
  );
}

function SecretAndTest({ webhook: { id, verified } }: { readonly webhook: Webhook }) {
  const [secret] = useState(() => newSecrets.get(id));
  const [isStored, setStored] = useState(secret === undefined);
  const test = useTestDelivery(id);
  const activate = useAction('activateWebhook', { done: 'Webhook activated' });
  useLeaveQuestion(isStored ? undefined : UNSTORED_SECRET);
  useEffect(() => () => void newSecrets.delete(id), [id]);
  const isProven = verified || test.outcome?.kind === 'delivered';
  return (
    <div className="sections">
      {secret === undefined ? (
        <p className="small">
          The signing secret was shown when the webhook was created. If you don’t have it,{' '}
          <Link to={PATHS.rotateSecret(id)}>create a new one</Link>.
        </p>
      ) : (
        <SecretOnce label="Signing secret" secret={secret} onStored={setStored} />
      )}
      <div className="stack">
        <p className="small">
          Add the secret to your server so that it can verify deliveries, then send a test. Your server must
          respond with a 2xx status.{' '}
          <Link to={PATHS.receiverCode} target="_blank">
            Verification code (opens in a new tab)
          </Link>
        </p>
        <TestSteps test={test} isNext={!isProven} />
      </div>
      <div className="stack">
        <p className="dim small">
          Nothing is sent until you activate the webhook, and events before that are not sent later. You can
          leave this page and come back.
        </p>
        <StartButton
          action={activate}
          disabled={!isProven || !isStored}
          onClick={() => activate.run({ params: { id } })}
        >
          Activate webhook
        </StartButton>
      </div>
    </div>
  );
}

/** The steps beside the content of the current one. */
function Steps({ current, children }: { readonly current: number; readonly children: ReactNode }) {
  return (
    <div className={classes['create']}>
      <ol className={`plain ${classes['steps']}`} aria-label="Steps">
        {['Address', 'Events', 'Secret and test'].map((step, place) => (
          <li key={step} {...(place === current && { 'aria-current': 'step' })}>
            <span className="mark" aria-hidden>
              {place < current ? <IconCheck size={12} /> : place + 1}
            </span>
            {step}
          </li>
        ))}
      </ol>
      <div>{children}</div>
    </div>
  );
}

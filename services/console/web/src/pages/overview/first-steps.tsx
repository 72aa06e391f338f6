import { IconCheck } from '@tabler/icons-react';
import { useApiKeys, useEventCatalogue, useOperation, type Webhook } from '../../api/hooks.js';
import { CodeBlock } from '../../parts/code.js';
import { useNow } from '../../parts/data.js';
import { LinkButton, PageHeader } from '../../parts/page.js';
import { PATHS } from '../../paths.js';
import { spanUntil } from '../../statistics-span.js';
import { webhookName } from '../../webhook-facts.js';
import classes from './overview.module.css';

interface Step {
  readonly title: string;
  readonly text: string;
  readonly isDone: boolean;
  /** The page where it is done. */
  readonly to: string;
  readonly label: string;
}

/** The steps of a new company to its first event; undefined if it is not new, or that could not be loaded. */
export function useFirstSteps(
  webhooks: readonly Webhook[] | undefined,
): readonly Step[] | 'loading' | undefined {
  const now = useNow();
  const isSmall = webhooks !== undefined && webhooks.length <= 1;
  const month = useOperation(
    'getStatistics',
    { query: spanUntil('30d', now) },
    { enabled: isSmall, isSum: true, keepsPrevious: true },
  );
  const keys = useApiKeys();
  const contact = useOperation('getTechnicalContact', {}, { enabled: isSmall });
  if (!isSmall) return undefined;
  if (month.data === undefined || keys.data === undefined || contact.data === undefined) {
    return (month.error ?? keys.error ?? contact.error) === null ? 'loading' : undefined;
  }
  if (month.data.totals.attempts > 0) return undefined;
  const [webhook] = webhooks;
  const { id = '', verified: isTested = false, state } = webhook ?? {};
  const contactEmail = contact.data.email ?? contact.data.pending?.email;
  const steps: readonly Step[] = [
    {
      title: 'Create a webhook',
      text:
        webhook === undefined
          ? 'You need the URL of your server.'
          : `${webhookName(webhook)}, at ${new URL(webhook.url).host}.`,
      isDone: webhook !== undefined,
      ...{ label: 'Create webhook', to: PATHS.createWebhook },
    },
    {
      title: 'Send a test',
      text: isTested ? 'Your server accepted it.' : 'Your server has not accepted one yet.',
      isDone: isTested,
      ...{ label: 'Send test', to: PATHS.setUpWebhook(id) },
    },
    {
      title: 'Activate it',
      text: 'From then on, your events are sent as they occur.',
      isDone: state === 'active',
      ...{ label: 'Activate', to: PATHS.setUpWebhook(id) },
    },
    {
      title: 'Create an API key',
      text: 'To read jobs and report your crews’ progress.',
      isDone: keys.data.some((key) => key.state === 'active'),
      ...{ label: 'Go to API keys', to: PATHS.apiKeys },
    },
    {
      title: 'Name a technical contact',
      text: contactEmail ?? 'Gets an email before the API changes.',
      isDone: contactEmail !== undefined,
      ...{ label: 'Name a contact', to: PATHS.technicalContact },
    },
  ];
  return steps.every(({ isDone }) => isDone) ? undefined : steps;
}

/** The steps of a new company, with a button for the next one. */
export function FirstSteps({ steps }: { readonly steps: readonly Step[] }) {
  const next = steps.findIndex(({ isDone }) => !isDone);
  const done = steps.filter(({ isDone }) => isDone).length;
  const example = useEventCatalogue().data?.events.find(({ name }) => name === 'install.status_changed');
  return (
    <>
      <PageHeader title="Get your first event" />
      <div className={classes['start']}>
        <div className="stack">
          <p className="dim">
            A webhook tells your systems what happens to your jobs, as it happens. Set it up in five short
            steps.
          </p>
          <progress max={steps.length} value={done} aria-label={`${done} of ${steps.length} steps done`} />
          <ol className={`plain ${classes['steps']}`}>
            {steps.map((step, place) => (
              <li key={step.title} {...(place === next && { 'aria-current': 'step' })}>
                <span className="mark" aria-hidden>
                  {step.isDone && <IconCheck size={12} />}
                </span>
                <div>
                  <h2>
                    {step.title}
                    {step.isDone && <span className="visually-hidden"> (done)</span>}
                  </h2>
                  <p className="dim small">{step.text}</p>
                </div>
                {place === next && <LinkButton to={step.to}>{step.label}</LinkButton>}
              </li>
            ))}
          </ol>
        </div>
        {example !== undefined && (
          <aside className="stack" aria-label="Example">
            <small>What your server will receive</small>
            <CodeBlock
              label={example.name}
              copies="example"
              code={JSON.stringify(example.example, null, 2)}
            />
          </aside>
        )}
      </div>
    </>
  );
}

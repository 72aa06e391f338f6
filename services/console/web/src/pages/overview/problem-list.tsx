import { Link } from '../../parts/link.js';
import { useAction, type Webhook } from '../../api/hooks.js';
import { StateDot } from '../../parts/data.js';
import { ActionButton, LinkButton, Panel } from '../../parts/page.js';
import { PATHS } from '../../paths.js';
import { RetryWaiting } from '../webhook/retry-waiting.js';
import classes from './overview.module.css';
import { countKinds, type Problem } from './problems.js';

const ROWS = 3;
const BUTTON = { size: 'xs', variant: 'default' } as const;

/** The most urgent problems, a line each, and how many others there are. */
export function ProblemList(props: {
  readonly problems: readonly Problem[];
  readonly webhooks: readonly Webhook[];
}) {
  const { problems, webhooks } = props;
  const untested = webhooks.filter(({ condition }) => condition?.state === 'not_tested');
  const more = countKinds(problems.slice(ROWS), untested.length);
  const [only] = untested;
  const all =
    untested.length === 1 && problems.length <= ROWS && only ? PATHS.webhook(only.id) : PATHS.webhooks;
  return (
    <Panel title="Needs attention">
      <ul className={`plain ${classes['problems']}`}>
        {problems.slice(0, ROWS).map(({ name, kind, tone, to, text, act }) => (
          <li key={`${to} ${kind}`}>
            <Link to={to}>
              <StateDot tone={tone} label={name} />
            </Link>
            <span>{text}</span>
            {'to' in act ? (
              <LinkButton to={act.to} {...BUTTON}>
                {act.label}
              </LinkButton>
            ) : act.does === 'retry' ? (
              <RetryWaiting webhook={act.webhook} {...BUTTON} />
            ) : (
              <Activate id={act.webhook.id} />
            )}
          </li>
        ))}
      </ul>
      {more !== '' && (
        <div className="row between">
          <p className="dim small">
            {problems.length > ROWS ? `${problems.length - ROWS + untested.length} more: ${more}` : more}
          </p>
          <Link to={all}>Show all</Link>
        </div>
      )}
    </Panel>
  );
}

function Activate({ id }: { readonly id: string }) {
  const activate = useAction('activateWebhook', { done: 'Webhook activated', toastsFailure: true });
  return (
    <ActionButton {...BUTTON} loading={activate.isRunning} onClick={() => activate.run({ params: { id } })}>
      Activate
    </ActionButton>
  );
}

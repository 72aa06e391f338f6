import {
  IconAlertTriangle,
  IconChevronLeft,
  IconCircleCheck,
  IconCircleX,
  IconInfoCircle,
  IconPointFilled,
  IconSearchOff,
} from '@tabler/icons-react';
import { createContext, type ReactNode, useContext, useEffect, useId, useRef, useState } from 'react';
import { Outlet, useLocation } from 'react-router';
import { Link } from './link.js';
import classes from './page.module.css';
import type { Tone } from '../tone.js';
import { ApiError, messageOf } from '../api/api-client.js';
import { NO_RESPONSE, useLostAt } from '../api/connection.js';
import type { OwnerSession } from '../api/session.js';
import { isOwnersPath } from '../paths.js';
import { Button, buttonLook, type ButtonLook, type ButtonProps } from './ui.js';

/**
 * Header of a page. Its `h1` also sets the window's title and receives the focus after a navigation, so that screen readers announce
 * the page. Every page begins with it, also while it loads.
 */
export function PageHeader(props: {
  readonly title: string;
  readonly description?: ReactNode;
  /** What is so now, behind the title. */
  readonly state?: ReactNode;
  readonly actions?: ReactNode;
  readonly back?: { readonly to: string; readonly label: string };
}) {
  const { title, description, state, actions, back } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  const { pathname, key } = useLocation();
  const isFirstPage = useRef(key === 'default');

  useEffect(() => {
    document.title = `${title} · Partner console`;
  }, [title]);

  useEffect(() => {
    if (!isFirstPage.current) heading.current?.focus({ preventScroll: true });
    isFirstPage.current = false;
  }, [pathname]);

  return (
    <header className={classes['head']}>
      <div className={classes['title']}>
        {back !== undefined && (
          <Link to={back.to} className={classes['back']}>
            <IconChevronLeft size={14} aria-hidden />
            {back.label}
          </Link>
        )}
        <span className="row">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {state}
        </span>
        {description !== undefined && <div>{description}</div>}
      </div>
      {actions !== undefined && <div className="row">{actions}</div>}
    </header>
  );
}

/** A section of a page, which screen readers list. */
export function Panel(props: {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  const { title, actions, children } = props;
  const titleId = useId();
  return (
    <section className="stack" aria-labelledby={titleId}>
      <div className="row between">
        <h2 id={titleId}>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}

const ICONS = {
  good: IconCircleCheck,
  warn: IconAlertTriangle,
  bad: IconCircleX,
  info: IconInfoCircle,
  quiet: IconPointFilled,
} as const satisfies Record<Tone, unknown>;

/** A message within a page. Set `isAlert` if it appears after an action of the reader. */
export function Notice(props: {
  readonly tone: Tone;
  readonly title?: ReactNode;
  readonly children?: ReactNode;
  /** A button at the end. */
  readonly action?: ReactNode;
  readonly isAlert?: boolean;
}) {
  const { tone, title, children } = props;
  const Icon = ICONS[tone];
  return (
    <div className={classes['notice']} data-tone={tone} role={props.isAlert === true ? 'alert' : undefined}>
      <Icon size={16} className={classes['icon']} aria-hidden />
      <div className={classes['content']}>
        {title !== undefined && <b>{title}</b>}
        {children !== undefined && <div className="small">{children}</div>}
      </div>
      {props.action}
    </div>
  );
}

/** Placeholder of loading data. */
export function Loading({ label, rows = 3 }: { readonly label: string; readonly rows?: number }) {
  return (
    <div className="stack" aria-busy="true">
      <span className="visually-hidden" role="status">
        {label}
      </span>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className={classes['skeleton']} aria-hidden />
      ))}
    </div>
  );
}

/** Shows loaded data, a loading state or an error. Loaded data stays visible if a reload fails. */
export function QueryView<Data>(props: {
  readonly query: { readonly data: Data | undefined; readonly error: unknown; refetch: () => unknown };
  readonly label: string;
  readonly children: (data: Data) => ReactNode;
}) {
  const { label, children } = props;
  const isLost = useLostAt() !== undefined;
  const { data, error = null, refetch } = props.query;
  if (data !== undefined) return children(data);
  if (error === null && !isLost) return <Loading label={`Loading ${label}`} />;
  return error instanceof ApiError && error.code === 'not_found' ? (
    <EmptyState title={`We can’t find ${label}`} icon={<IconSearchOff />}>
      {error.message}
    </EmptyState>
  ) : (
    <ErrorState
      error={error ?? NO_RESPONSE}
      title={`Could not load ${label}`}
      onRetry={() => void refetch()}
    />
  );
}

/** What a reader can open, drawn only once they do. */
export function Details(props: { readonly summary: ReactNode; readonly children: () => ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{props.summary}</summary>
      {isOpen && props.children()}
    </details>
  );
}

/** What support needs of a failed request, closed at first; nothing without an id. */
export function ErrorDetails({ error }: { readonly error: unknown }) {
  if (!(error instanceof ApiError) || error.requestId === undefined) return null;
  return (
    <details>
      <summary>Details</summary>
      {error.text}
      <div>
        Request ID for support: <code>{error.requestId}</code>
      </div>
    </details>
  );
}

/** Placeholder of data that failed to load: the reason, details for support, and a retry button. */
export function ErrorState(props: {
  readonly error: unknown;
  readonly title: string;
  readonly onRetry: () => void;
}) {
  const { error, title, onRetry } = props;
  return (
    <Notice tone="bad" title={title} isAlert>
      <div className="stack">
        <p className="small">{messageOf(error)}</p>
        <ErrorDetails error={error} />
        <Button size="xs" variant="default" onClick={onRetry}>
          Retry
        </Button>
      </div>
    </Notice>
  );
}

/** Placeholder of an empty list: the reason and what to do. */
export function EmptyState(props: {
  readonly title: string;
  readonly icon: ReactNode;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}) {
  return (
    <section className={`stack ${classes['empty']}`}>
      <div aria-hidden>{props.icon}</div>
      <h2>{props.title}</h2>
      {props.children !== undefined && <div>{props.children}</div>}
      {props.action}
    </section>
  );
}

/** Footer of a list: the number of shown items, and a button for more. */
export function LoadMore(props: {
  readonly shown: number;
  /** Name of the items, e.g. `deliveries`. */
  readonly what: string;
  readonly list: { readonly hasMore: boolean; readonly isLoadingMore: boolean; loadMore: () => void };
}) {
  const { shown, what } = props;
  const { hasMore, isLoadingMore, loadMore } = props.list;
  return (
    <div className="row" style={{ justifyContent: 'center' }}>
      <p className="dim small" role="status">
        {hasMore ? `${shown} ${what} shown` : shown === 1 ? '1 shown' : `All ${shown} ${what} shown`}
      </p>
      {hasMore && (
        <Button variant="default" loading={isLoadingMore} onClick={loadMore}>
          Load more
        </Button>
      )}
    </div>
  );
}

/** The session, for parts that are also used without one. */
export const OwnerContext = createContext<OwnerSession | null>(null);

/** Provides the session to the pages below it. */
export const OwnerProvider = OwnerContext.Provider;

/** Returns the session; null while it loads, and without one. */
export const useSessionIfAny = () => useContext(OwnerContext);

/** Returns the signed-in owner with their company. */
export function useOwner(): OwnerSession {
  const owner = useSessionIfAny();
  if (owner === null) throw new Error('this page requires a session');
  return owner;
}

/** Shows what only an owner can do; nothing to a viewer. */
export function OwnerOnly({ children }: { readonly children: ReactNode }) {
  return useOwner().owner.role === 'owner' ? children : null;
}

/** A button that changes something. It is disabled while the connection is lost. */
export function ChangeButton(button: ButtonProps) {
  const isLost = useLostAt() !== undefined;
  return <Button {...button} disabled={isLost || button.disabled === true} />;
}

/** A button that begins a change for the company; a viewer does not see it. */
export function ActionButton(button: ButtonProps) {
  return (
    <OwnerOnly>
      <ChangeButton {...button} />
    </OwnerOnly>
  );
}

/** A link to another page of the console that looks like a button. A viewer sees none to a page that only changes something. */
export function LinkButton(
  link: ButtonLook & { readonly to: string; readonly children: ReactNode; readonly 'aria-label'?: string },
) {
  const isViewer = useContext(OwnerContext)?.owner.role === 'viewer';
  return isViewer && isOwnersPath(link.to) ? null : <Link {...buttonLook(link)} />;
}

/** Shows a page that only changes something to owners alone. */
export function OwnersPage() {
  if (useOwner().owner.role === 'owner') return <Outlet />;
  return (
    <>
      <PageHeader title="You need the owner role to change this" />
      <p>Ask an owner of your company to make the change.</p>
    </>
  );
}

import {
  IconArrowUpRight,
  IconBell,
  IconBook2,
  IconChartBar,
  IconCode,
  IconHistory,
  IconInbox,
  IconKey,
  IconListDetails,
  IconLogout,
  IconMail,
  IconMenu2,
  IconMoon,
  IconRoute,
  IconSearch,
  IconSelector,
  IconSend,
  IconUser,
  IconUsers,
  IconUserShield,
  IconWebhook,
} from '@tabler/icons-react';
import { type MouseEvent, type ReactNode, useEffect, useState } from 'react';
import { useLocation } from 'react-router';
import { Link } from './link.js';
import { useSignOut } from '../api/session.js';
import icon from '../icon.svg';
import { pageEnvironment } from '../page-settings.js';
import { PATHS } from '../paths.js';
import { ConnectionBar } from './connection.js';
import { useSessionIfAny } from './page.js';
import { openSearch, Search } from './search.js';
import classes from './shell.module.css';
import { Menu, MenuItem, Modal } from './overlays.js';

const OVERVIEW = { to: PATHS.overview, label: 'Overview', icon: IconChartBar };
const DELIVERIES = { to: PATHS.deliveries(), label: 'Deliveries', icon: IconSend };
const WEBHOOKS = { to: PATHS.webhooks, label: 'Webhooks', icon: IconWebhook };

/** The pages of the rail by their groups. */
const GROUPS = {
  Monitor: [OVERVIEW, DELIVERIES, { to: PATHS.why(), label: 'Trace', icon: IconRoute }],
  Build: [
    WEBHOOKS,
    { to: PATHS.catalogue, label: 'Events', icon: IconListDetails },
    { to: PATHS.receiverCode, label: 'Receiver code', icon: IconCode },
    ...(pageEnvironment() === 'sandbox'
      ? [{ to: PATHS.testReceiver, label: 'Test receiver', icon: IconInbox }]
      : []),
    { to: PATHS.apiKeys, label: 'API keys', icon: IconKey },
  ],
  Company: [
    { to: PATHS.colleagues, label: 'People', icon: IconUsers },
    { to: PATHS.technicalContact, label: 'Technical contact', icon: IconMail },
    { to: PATHS.audit, label: 'Audit log', icon: IconHistory },
  ],
} as const;

const ACCOUNT = [
  { to: PATHS.account, label: 'Account', icon: IconUser },
  { to: PATHS.sessions, label: 'Sessions', icon: IconUserShield },
  { to: PATHS.notifications, label: 'Notifications', icon: IconBell },
] as const;

/** Layout of pages with a session, also while it loads: a rail with the pages and the account; on a phone a bar above and one below the page. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  const { pathname } = useLocation();
  const isSignedIn = useSessionIfAny() !== null;
  const scheme = useColorScheme();
  useEffect(() => setOpen(false), [pathname]);
  return (
    <>
      <a href="#main" className={classes['skip']} onClick={skipToMain}>
        Skip to content
      </a>
      <div className={classes['shell']}>
        <header className={classes['top']}>
          <Company />
          <button type="button" className={classes['account']} onClick={openSearch}>
            <IconSearch size={20} aria-hidden />
            <span className="visually-hidden">Search</span>
          </button>
          <AccountMenu scheme={scheme} />
        </header>
        <header className={classes['rail']}>
          <Company />
          <button type="button" className={classes['find']} onClick={openSearch}>
            <IconSearch size={16} aria-hidden />
            Search
            <kbd>Ctrl K</kbd>
          </button>
          <PageLinks at={pathname} />
          <AccountMenu scheme={scheme} />
        </header>
        <main id="main" tabIndex={-1}>
          <ConnectionBar />
          <div className={`sections ${classes['content']}`}>{children}</div>
        </main>
        <nav className={classes['bottom']} aria-label="Main pages">
          {[OVERVIEW, DELIVERIES, WEBHOOKS].map((link) => (
            <PageLink key={link.to} {...link} at={pathname} />
          ))}
          <button
            type="button"
            className={classes['link']}
            aria-haspopup="dialog"
            onClick={() => setOpen(true)}
          >
            <IconMenu2 size={20} aria-hidden />
            More
          </button>
        </nav>
      </div>
      {isSignedIn && <Search pages={[...Object.values(GROUPS).flat(), ...ACCOUNT]} />}
      <Modal opened={isOpen} onClose={() => setOpen(false)} title="All pages" size="side">
        <PageLinks at={pathname} />
      </Modal>
    </>
  );
}

/** Without an entry of the history, which the router would not know. */
function skipToMain(event: MouseEvent) {
  event.preventDefault();
  document.querySelector<HTMLElement>('#main')?.focus();
}

/** The company and the environment; leads to the overview. */
function Company() {
  const company = useSessionIfAny()?.company;
  return (
    <Link to={PATHS.overview} className={classes['company']}>
      <img src={icon} width={24} height={24} alt="" />
      <span>
        <span className={classes['name']}>{company?.name ?? 'Partner console'}</span>
        <small>{pageEnvironment()}</small>
      </span>
    </Link>
  );
}

/** Links to all pages. `at` is the path of the one that is shown. */
function PageLinks({ at }: { readonly at: string }) {
  return (
    <nav className={classes['pages']} aria-label="Pages">
      {Object.entries(GROUPS).map(([group, links]) => (
        <section key={group}>
          <h2>{group}</h2>
          <ul className="plain">
            {links.map((link) => (
              <li key={link.to}>
                <PageLink {...link} at={at} />
              </li>
            ))}
            {group === 'Build' && (
              <li>
                {/* A page of the console service, outside this app. */}
                <a href="/docs" className={classes['link']}>
                  <IconBook2 size={16} aria-hidden />
                  API reference
                  <IconArrowUpRight size={14} aria-hidden className={classes['out']} />
                </a>
              </li>
            )}
          </ul>
        </section>
      ))}
    </nav>
  );
}

function PageLink(link: (typeof GROUPS)[keyof typeof GROUPS][number] & { readonly at: string }) {
  const { to, label, icon: Icon, at } = link;
  const isHere = at === to || (to !== PATHS.overview && at.startsWith(`${to}/`));
  return (
    <Link to={to} className={classes['link'] ?? ''} aria-current={isHere ? 'page' : undefined}>
      <Icon size={16} aria-hidden />
      {label}
    </Link>
  );
}

const SCHEMES = {
  auto: { label: 'as the system', next: 'light' },
  light: { label: 'light', next: 'dark' },
  dark: { label: 'dark', next: 'auto' },
} as const;

/** The same as in `early/color-scheme.js`, which reads it before the page is shown. */
const SCHEME_KEY = 'partner-console-color-scheme';

/** The chosen color scheme, and a function that chooses another one. */
function useColorScheme() {
  const [scheme, setScheme] = useState<keyof typeof SCHEMES>(() => {
    const kept = document.documentElement.dataset['colorScheme'];
    return kept === 'light' || kept === 'dark' ? kept : 'auto';
  });
  const choose = (chosen: keyof typeof SCHEMES) => {
    setScheme(chosen);
    if (chosen === 'auto') delete document.documentElement.dataset['colorScheme'];
    else document.documentElement.dataset['colorScheme'] = chosen;
    window.localStorage.setItem(SCHEME_KEY, chosen);
  };
  return [scheme, choose] as const;
}

/** The menu of the signed-in person. */
function AccountMenu(props: { readonly scheme: ReturnType<typeof useColorScheme> }) {
  const owner = useSessionIfAny()?.owner;
  const signOut = useSignOut();
  const [scheme, setScheme] = props.scheme;
  const { label, next } = SCHEMES[scheme];
  if (owner === undefined) return null;
  return (
    <Menu
      position="top-start"
      button={
        <button type="button" className={classes['account']}>
          <span className={classes['avatar']} aria-hidden>
            {initialsOf(owner.displayName)}
          </span>
          <span className={classes['who']}>{owner.displayName}</span>
          <span className="visually-hidden">, account menu</span>
          <IconSelector size={16} aria-hidden />
        </button>
      }
    >
      {ACCOUNT.map(({ to, label: page, icon: Icon }) => (
        <MenuItem key={to} to={to} icon={<Icon size={16} aria-hidden />}>
          {page}
        </MenuItem>
      ))}
      <MenuItem icon={<IconMoon size={16} aria-hidden />} onClick={() => setScheme(next)}>
        {`Theme: ${label}`}
      </MenuItem>
      <hr />
      <MenuItem icon={<IconLogout size={16} aria-hidden />} onClick={() => signOut.run({})}>
        Sign out
      </MenuItem>
    </Menu>
  );
}

function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter((word) => word !== '');
  return [words.at(0), words.length > 1 ? words.at(-1) : '']
    .map((word = '') => word.slice(0, 1).toUpperCase())
    .join('');
}

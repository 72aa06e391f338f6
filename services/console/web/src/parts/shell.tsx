import { AppShell, Burger, Button, Group, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconBell,
  IconBook2,
  IconCode,
  IconHistory,
  IconKey,
  IconLayoutDashboard,
  IconListDetails,
  IconLogout,
  IconMail,
  IconSend,
  IconUserCircle,
  IconUsers,
  IconUserShield,
  IconWebhook,
  IconZoomQuestion,
} from '@tabler/icons-react';
import { useEffect } from 'react';
import { NavLink, Outlet, ScrollRestoration, useLocation } from 'react-router';
import { useSignOut } from '../api/session.js';
import { useLiveChanges } from '../api/use-live-changes.js';
import icon from '../icon.svg';
import { pageEnvironment } from '../page-settings.js';
import { PATHS } from '../paths.js';
import { ColorSchemeSwitch } from './color-scheme-switch.js';
import { useOwner } from './owner-context.js';
import classes from './shell.module.css';

const NAVIGATION = [
  { to: PATHS.overview, label: 'Overview', icon: IconLayoutDashboard },
  { to: PATHS.webhooks, label: 'Webhooks', icon: IconWebhook },
  { to: PATHS.deliveries(), label: 'Deliveries', icon: IconSend },
  { to: PATHS.why(), label: 'Trace an event', icon: IconZoomQuestion },
  { to: PATHS.catalogue, label: 'Event catalogue', icon: IconListDetails },
  { to: PATHS.receiverCode, label: 'Receiver code', icon: IconCode },
  { to: PATHS.apiKeys, label: 'API keys', icon: IconKey },
  { to: PATHS.notifications, label: 'Notifications', icon: IconBell },
  { to: PATHS.technicalContact, label: 'Technical contact', icon: IconMail },
  { to: PATHS.audit, label: 'Audit trail', icon: IconHistory },
  { to: PATHS.people, label: 'People', icon: IconUsers },
  { to: PATHS.sessions, label: 'Sessions', icon: IconUserShield },
  { to: PATHS.account, label: 'Account', icon: IconUserCircle },
] as const;

/** Layout of pages with a session: navigation, company, environment and sign-out. */
export function Shell() {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const { owner, company } = useOwner();
  const { pathname } = useLocation();
  useLiveChanges();
  useEffect(close, [pathname, close]);

  return (
    <AppShell
      // An animated padding would make a resized or rotated page too wide.
      transitionDuration={0}
      header={{ height: 56 }}
      navbar={{ width: 248, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', md: 'xl' }}
    >
      <a href="#main" className={classes['skip']}>
        Skip to content
      </a>
      <AppShell.Header className={classes['bar']}>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              color="var(--rail-text)"
              aria-label={isOpen ? 'Close the navigation' : 'Open the navigation'}
              aria-expanded={isOpen}
              aria-controls="navigation"
            />
            <NavLink to={PATHS.overview} className={classes['brand'] ?? ''}>
              <img src={icon} width={28} height={28} alt="" />
              Partner console
            </NavLink>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <ColorSchemeSwitch className={classes['control']} />
            <SignOut />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar
        className={classes['rail']}
        mod={{ closed: !isOpen }}
        p="sm"
        id="navigation"
        component="nav"
        aria-label="Pages"
      >
        <Stack gap={2} px={12} pb="sm">
          <span className={classes['company']}>{company.name}</span>
          <span className={classes['quiet']}>{owner.displayName}</span>
          <span>
            <span className={classes['environment']}>{pageEnvironment()}</span>
          </span>
        </Stack>
        <div className={classes['pages']}>
          <PageLinks onFollow={close} />
        </div>
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        <div className={classes['main']}>
          <Outlet />
        </div>
      </AppShell.Main>
      <ScrollRestoration />
    </AppShell>
  );
}

function SignOut() {
  const signOut = useSignOut();
  return (
    <Button
      variant="subtle"
      className={classes['control']}
      aria-label="Sign out"
      loading={signOut.isRunning}
      onClick={() => signOut.run({})}
      size="sm"
      px="xs"
    >
      <IconLogout size={18} aria-hidden />
      <span className={classes['wide']}>Sign out</span>
    </Button>
  );
}

function PageLinks({ onFollow }: { readonly onFollow: () => void }) {
  return (
    <ul className={classes['list']}>
      {NAVIGATION.map(({ to, label, icon: Icon }) => (
        <li key={to}>
          <NavLink to={to} end={to === PATHS.overview} className={classes['link'] ?? ''} onClick={onFollow}>
            <Icon size={19} aria-hidden />
            {label}
          </NavLink>
        </li>
      ))}
      <li>
        {/* A page of the console service, outside this app. */}
        <a href="/docs" className={classes['link']}>
          <IconBook2 size={19} aria-hidden />
          API reference
        </a>
      </li>
    </ul>
  );
}

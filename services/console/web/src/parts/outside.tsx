import {
  ActionIcon,
  Button,
  Container,
  Stack,
  Text,
  Title,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { IconMoon, IconSun } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { ApiError } from '../api/api-client.js';
import { CodeForm } from './form.js';
import { PageHeader, Panel } from './page.js';
import classes from './page.module.css';
import icon from '../icon.svg';

/** Layout of pages without a session. `size`: the widest content, in pixels. */
export function OutsidePage({
  children,
  size = 440,
}: {
  readonly children: ReactNode;
  readonly size?: number;
}) {
  return (
    <div className={classes['ground']}>
      <div className={classes['corner']}>
        <ColorSchemeSwitch />
      </div>
      <Container component="main" size={size} px="md">
        <img src={icon} width={44} height={44} alt="" className={classes['mark']} />
        {children}
      </Container>
    </div>
  );
}

/** A page without a session that has one panel. */
export function OutsidePanel(props: {
  readonly title: string;
  readonly description?: string;
  readonly children: ReactNode;
}) {
  const { title, description = 'For the partner console.', children } = props;
  return (
    <OutsidePage>
      <PageHeader title={title} description={description} />
      <Panel p="lg">{children}</Panel>
    </OutsidePage>
  );
}

/** Asks for the second factor of someone who signs in. */
export function CodePage({ action, ...form }: Omit<Parameters<typeof CodeForm>[0], 'submitLabel'>) {
  return (
    <OutsidePanel
      title="Enter your code"
      description="Your account is protected with two-factor authentication."
    >
      <CodeForm
        {...form}
        action={{ ...action, error: needsCode(action.error) ? null : action.error }}
        submitLabel="Sign in"
      />
    </OutsidePanel>
  );
}

/** Whether a sign-in was refused because it needs a code. */
export function needsCode(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'second_factor_required';
}

/** Switches between light and dark. By default the page follows the device. */
export function ColorSchemeSwitch({ className }: { readonly className?: string | undefined }) {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false });
  const other = scheme === 'light' ? 'dark' : 'light';
  const Icon = scheme === 'light' ? IconMoon : IconSun;
  return (
    <ActionIcon
      variant="subtle"
      size="lg"
      className={className}
      aria-label={`Use ${other} colors`}
      title={`Use ${other} colors`}
      onClick={() => setColorScheme(other)}
    >
      <Icon size={20} aria-hidden />
    </ActionIcon>
  );
}

/** Shown if a page cannot be loaded, most often because its version is no longer served. */
export function FailedPage() {
  return (
    <Container component="section" size="sm" py="xl">
      <Stack align="flex-start">
        <Title order={1}>This page failed to load</Title>
        <Text>There may be a newer version of the console. Reload the page.</Text>
        <Button onClick={() => location.reload()}>Reload</Button>
      </Stack>
    </Container>
  );
}

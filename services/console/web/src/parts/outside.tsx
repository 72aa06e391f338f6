import { Button, Container, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { signInPath } from '../paths.js';
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
      <Container component="main" size={size} px="md">
        <img src={icon} width={44} height={44} alt="" className={classes['mark']} />
        {children}
      </Container>
    </div>
  );
}

/** Leaves the app for the sign-in page, which returns to `path`. */
export function ToSignIn({ path }: { readonly path: string }) {
  useEffect(() => location.replace(`/console${signInPath(path)}`), [path]);
  return null;
}

/** Shown if a page cannot be loaded: its version is no longer served, or there is no connection. It then loads automatically later. */
export function FailedPage() {
  // The early script loads the page when the console responds again.
  useEffect(() => void dispatchEvent(new Event('page-failed')), []);
  return (
    <Container component="section" size="sm" py="xl">
      <Stack align="flex-start">
        <Title order={1}>This page failed to load</Title>
        <Text>There may be no connection, or a newer version of the console.</Text>
        <Button variant="default" onClick={() => dispatchEvent(new Event('retry-page'))}>
          Retry
        </Button>
      </Stack>
    </Container>
  );
}

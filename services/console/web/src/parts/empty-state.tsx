import { Stack, Text, ThemeIcon, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** Placeholder of an empty list: the reason and what to do. */
export function EmptyState(props: {
  readonly title: string;
  readonly icon?: ReactNode;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}) {
  return (
    <Stack align="center" gap="xs" py="xl" px="md" ta="center">
      {props.icon !== undefined && (
        <ThemeIcon variant="light" size={52} radius="xl" aria-hidden>
          {props.icon}
        </ThemeIcon>
      )}
      <Title order={2}>{props.title}</Title>
      {props.children !== undefined && (
        <Text component="div" c="dimmed" maw="34rem">
          {props.children}
        </Text>
      )}
      {props.action}
    </Stack>
  );
}

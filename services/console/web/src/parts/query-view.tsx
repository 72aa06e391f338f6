import { type ReactNode, useDeferredValue, useState } from 'react';
import { Button, Group, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { Loading, Notice } from './page.js';
import { messageOf } from '../api/api-error.js';
import { RequestId } from './form.js';

/**
 * Shows loaded data, a loading state or an error. Loaded data stays visible if a reload fails.
 */
export function QueryView<Data>(props: {
  readonly query: {
    readonly data: Data | undefined;
    readonly error: unknown;
    readonly refetch: () => unknown;
  };
  readonly label: string;
  readonly children: (data: Data) => ReactNode;
}) {
  const { query, label, children } = props;
  const { data, error } = query;
  const [isLoadedFirst] = useState(data !== undefined);
  const loading = <Loading label={`Loading ${label}`} />;
  if (data !== undefined) {
    const view = children(data);
    return isLoadedFirst ? view : <Deferred fallback={loading}>{view}</Deferred>;
  }
  return error === null || error === undefined ? (
    loading
  ) : (
    <ErrorState error={error} title={`Could not load ${label}`} onRetry={() => void query.refetch()} />
  );
}

/** Placeholder of data that failed to load: the reason, the request id for support, and a retry button. */
export function ErrorState(props: {
  readonly error: unknown;
  readonly title?: string;
  readonly onRetry?: () => void;
}) {
  const { error, onRetry } = props;
  return (
    <Notice tone="bad" title={props.title ?? 'Could not load this page'} isAlert>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{messageOf(error)}</Text>
        <RequestId error={error} />
        {onRetry !== undefined && (
          <Button size="xs" variant="default" onClick={onRetry}>
            Retry
          </Button>
        )}
      </Stack>
    </Notice>
  );
}

/**
 * Shows the fallback, and renders large content in small steps behind it, so that a slow device still responds meanwhile. The API's
 * responses would otherwise be rendered in one step.
 */
export function Deferred({
  fallback,
  children,
}: {
  readonly fallback: ReactNode;
  readonly children: ReactNode;
}) {
  return useDeferredValue(true, false) ? children : fallback;
}

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

/** Footer of a list: the number of shown items, and a button for more. */
export function LoadMore(props: {
  readonly shown: number;
  /** Name of the items, e.g. `deliveries`. */
  readonly what: string;
  readonly list: {
    readonly hasMore: boolean;
    readonly isLoadingMore: boolean;
    readonly loadMore: () => void;
  };
}) {
  const { shown, what, list } = props;
  const { hasMore, isLoadingMore, loadMore } = list;
  return (
    <Group justify="center" mt="md" gap="sm">
      <Text size="sm" c="dimmed" role="status">
        {hasMore ? `${shown} ${what} shown` : shown === 1 ? 'All shown' : `All ${shown} ${what} shown`}
      </Text>
      {hasMore && (
        <Button variant="default" size="sm" loading={isLoadingMore} onClick={loadMore}>
          Load more
        </Button>
      )}
    </Group>
  );
}

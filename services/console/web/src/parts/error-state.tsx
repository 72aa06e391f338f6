import { Button, Code, Stack, Text } from '@mantine/core';
import { ApiError, messageOf } from '../api/api-error.js';
import { Notice } from './notice.js';

/** Placeholder of data that failed to load: the reason, the request id for support, and a retry button. */
export function ErrorState(props: {
  readonly error: unknown;
  readonly title?: string;
  readonly onRetry?: () => void;
}) {
  const { error, onRetry } = props;
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  return (
    <Notice tone="bad" title={props.title ?? 'Could not load this page'} isAlert>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{messageOf(error)}</Text>
        {requestId !== undefined && (
          <Text size="sm">
            Request ID for support: <Code>{requestId}</Code>
          </Text>
        )}
        {onRetry !== undefined && (
          <Button size="xs" variant="default" onClick={onRetry}>
            Retry
          </Button>
        )}
      </Stack>
    </Notice>
  );
}

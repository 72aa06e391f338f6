import { Button, Stack, Text } from '@mantine/core';
import { messageOf } from '../api/api-error.js';
import { Notice } from './notice.js';
import { RequestId } from './request-id.js';

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

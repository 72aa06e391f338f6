import { Code, Text } from '@mantine/core';
import { ApiError } from '../api/api-error.js';

/** The id of a failed request, for support; nothing without one. */
export function RequestId({ error }: { readonly error: unknown }) {
  if (!(error instanceof ApiError) || error.requestId === undefined) return null;
  return (
    <Text size="sm">
      Request ID for support: <Code>{error.requestId}</Code>
    </Text>
  );
}

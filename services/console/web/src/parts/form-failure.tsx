import { Box, type BoxProps } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { ApiError, messageOf } from '../api/api-error.js';
import { Notice } from './notice.js';
import { RequestId } from './request-id.js';

/**
 * Why an action failed; nothing if the owner cancelled the password dialog. It stands above the button, and the page scrolls to it.
 */
export function FormFailure({ error, mb }: { readonly error: unknown; readonly mb?: BoxProps['mb'] }) {
  const shown = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Newer browsers return a promise, which is no clean-up function of the effect.
    shown.current?.scrollIntoView({ block: 'nearest' });
  }, [error]);
  if (error === null || (error instanceof ApiError && error.code === 'confirmation_required')) return null;
  return (
    <Box ref={shown} {...(mb !== undefined && { mb })}>
      <Notice tone="bad" title={messageOf(error)} isAlert>
        <RequestId error={error} />
      </Notice>
    </Box>
  );
}

import { Skeleton, Stack, VisuallyHidden } from '@mantine/core';

/** Placeholder of loading data. */
export function Loading({ label, rows = 3 }: { readonly label: string; readonly rows?: number }) {
  return (
    <Stack gap="sm" aria-busy="true">
      <VisuallyHidden role="status">{label}</VisuallyHidden>
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} height={row === 0 ? 28 : 52} width={row === 0 ? '40%' : '100%'} aria-hidden />
      ))}
    </Stack>
  );
}

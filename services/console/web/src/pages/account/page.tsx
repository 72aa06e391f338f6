import { Stack } from '@mantine/core';
import { PageHeader } from '../../parts/page-header.js';
import { PasswordPanel } from './password-panel.js';
import { SecondFactorPanel } from './second-factor-panel.js';

/** Page of the signed-in owner's account. */
export function Page() {
  return (
    <>
      <PageHeader title="Account" description="How you sign in to this console." />
      <Stack gap="md">
        <PasswordPanel />
        <SecondFactorPanel />
      </Stack>
    </>
  );
}

import { Stack } from '@mantine/core';
import { useSignInMethods } from '../../api/provider-sign-in.js';
import { pageProviderName } from '../../page-settings.js';
import { PageHeader } from '../../parts/page.js';
import { PasswordPanel } from './password-panel.js';
import { ProviderPanel } from './provider-panel.js';
import { SecondFactorPanel } from './second-factor-panel.js';

/** Page of the signed-in owner's account. */
export function Page() {
  const providerName = pageProviderName();
  const methods = useSignInMethods();
  return (
    <>
      <PageHeader title="Account" description="How you sign in to this console." />
      <Stack gap="md">
        {methods.data?.hasPassword !== false && <PasswordPanel />}
        {providerName !== '' && <ProviderPanel name={providerName} />}
        <SecondFactorPanel />
      </Stack>
    </>
  );
}

import { Text } from '@mantine/core';
import { useSignInMethods } from '../../api/provider-sign-in.js';
import { Notice, Panel } from '../../parts/page.js';
import { QueryView } from '../../parts/query-view.js';
import { PastTime } from '../../parts/times.js';

/** Whether the owner signs in with the identity provider; nothing where there is none. */
export function ProviderPanel({ name }: { readonly name: string }) {
  const methods = useSignInMethods();
  return (
    <Panel title={`Sign-in with ${name}`}>
      <QueryView query={methods} label="how you sign in">
        {({ hasPassword, provider }) =>
          provider === null || provider.linkedAt === null ? (
            <Text>{`Not linked. Your account is linked when you first sign in with ${name}, if it has your email address.`}</Text>
          ) : (
            <Notice tone="good" title="Linked">
              Since <PastTime at={provider.linkedAt} />.
              {!hasPassword && ' You have no password for this console.'}
            </Notice>
          )
        }
      </QueryView>
    </Panel>
  );
}

import { Button, Stack, TextInput } from '@mantine/core';
import { PASSWORD_LINKS } from '@partner/proto-contracts/resources/password/password';
import { type SubmitEvent, useState } from 'react';
import { useAction } from '../../api/use-action.js';
import { FormFailure } from '../../parts/form-failure.js';
import { Notice } from '../../parts/notice.js';
import { OutsidePage } from '../../parts/outside-page.js';
import { PageHeader } from '../../parts/page-header.js';
import { Panel } from '../../parts/panel.js';
import { TextLink } from '../../parts/text-link.js';
import { PATHS } from '../../paths.js';

/** Page for owners who have forgotten their password. */
export function Page() {
  const [email, setEmail] = useState('');
  const request = useAction('requestPasswordLink');
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    request.run({ body: { email } });
  };
  return (
    <OutsidePage>
      <PageHeader
        title="Forgot your password?"
        description="We email you a link with which you set a new one."
      />
      <Panel p="lg">
        <form onSubmit={submit}>
          <Stack>
            {request.isDone && (
              <Notice tone="good" title="Check your email" isAlert>
                {`If there is an account with this address, a link is on its way. It works once, within ${PASSWORD_LINKS.minutes} minutes.`}
              </Notice>
            )}
            <TextInput
              label="Email address"
              type="email"
              autoComplete="username"
              value={email}
              onChange={({ currentTarget }) => setEmail(currentTarget.value)}
              required
              withAsterisk={false}
            />
            <FormFailure error={request.error} />
            <Button type="submit" loading={request.isRunning} fullWidth>
              Send link
            </Button>
            <TextLink to={PATHS.signIn}>Back to sign-in</TextLink>
          </Stack>
        </form>
      </Panel>
    </OutsidePage>
  );
}

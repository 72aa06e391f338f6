import { Stack } from '@mantine/core';
import { PASSWORD_LINKS } from '@partner/proto-contracts/resources/password/password';
import { useAction } from '../../api/hooks.js';
import { EmailField, Form, useFields } from '../../parts/form.js';
import { OutsidePanel } from '../../parts/outside.js';
import { Notice, TextLink } from '../../parts/page.js';
import { PATHS } from '../../paths.js';

/** Page for owners who have forgotten their password. */
export function Page() {
  const request = useAction('requestPasswordLink');
  const { values, field } = useFields({ email: '' }, null);
  return (
    <OutsidePanel
      title="Forgot your password?"
      description="We email you a link with which you set a new one."
    >
      <Stack>
        <Form
          action={request}
          submitLabel="Send link"
          button={{ fullWidth: true }}
          onSubmit={() => request.run({ body: values })}
        >
          {request.isDone && (
            <Notice tone="good" title="Check your email" isAlert>
              {`If there is an account with this address, a link is on its way. It works once, within ${PASSWORD_LINKS.minutes} minutes.`}
            </Notice>
          )}
          <EmailField autoComplete="username" {...field('email')} />
        </Form>
        <TextLink to={PATHS.signIn}>Back to sign-in</TextLink>
      </Stack>
    </OutsidePanel>
  );
}

import { PASSWORD_LENGTH } from '@partner/proto-contracts/resources/password/password';
import { useNewSession, useSignInMethods } from '../../api/session.js';
import { pageProviderName } from '../../page-settings.js';
import { Notice, PageHeader, Panel, QueryView } from '../../parts/page.js';
import { type Output, useAction, useOperation } from '../../api/hooks.js';
import { CodeForm, Form, type FormAction, StartButton, useFields } from '../../parts/form.js';
import { PastTime } from '../../parts/data.js';
import { useState } from 'react';
import { encode } from 'uqr';
import { formatCountOf } from '../../format.js';
import { CodeBlock, SecretText } from '../../parts/code.js';
import { Checkbox, PasswordInput } from '../../parts/fields.js';
import { Modal } from '../../parts/overlays.js';
import { Button, type ButtonProps } from '../../parts/ui.js';

/** Page of the signed-in owner's account. */
export function Page() {
  const providerName = pageProviderName();
  const methods = useSignInMethods();
  return (
    <>
      <PageHeader title="Account" description="How you sign in to this console." />
      {methods.data?.hasPassword !== false && <PasswordPanel />}
      {providerName !== '' && <ProviderPanel name={providerName} />}
      <SecondFactorPanel />
    </>
  );
}

/** The form that changes the password. */
function PasswordPanel() {
  const continueWith = useNewSession();
  const change = useAction('changePassword', {
    done: 'Password changed',
    onDone: (session) => {
      continueWith(session);
      clear();
    },
  });
  const { values, violations, field, clear } = useFields(
    { currentPassword: '', newPassword: '' },
    change.error,
  );
  return (
    <Panel title="Change password">
      <Form
        action={change}
        submitLabel="Change password"
        isExplained={violations['newPassword'] !== undefined}
        onSubmit={() => change.run({ body: values })}
      >
        <PasswordInput
          required
          label="Current password"
          autoComplete="current-password"
          {...field('currentPassword')}
        />
        <PasswordInput
          required
          label="New password"
          description={`At least ${PASSWORD_LENGTH.min} characters. All your other sessions end.`}
          autoComplete="new-password"
          {...field('newPassword')}
        />
      </Form>
    </Panel>
  );
}

/** Whether the owner signs in with the identity provider; nothing where there is none. */
function ProviderPanel({ name }: { readonly name: string }) {
  const methods = useSignInMethods();
  return (
    <Panel title={`Sign-in with ${name}`}>
      <QueryView query={methods} label="how you sign in">
        {({ hasPassword, provider }) =>
          provider === null || provider.linkedAt === null ? (
            <p>{`Not linked. It’s linked when you first sign in with ${name}, if your email addresses match.`}</p>
          ) : (
            <Notice tone="good" title="Linked">
              Linked <PastTime at={provider.linkedAt} />.
              {!hasPassword && ' You have no password for this console.'}
            </Notice>
          )
        }
      </QueryView>
    </Panel>
  );
}

/** Two-factor authentication of the owner: set-up, recovery codes and disabling. */
function SecondFactorPanel() {
  const factor = useOperation('getSecondFactor', {});
  const [codes, setCodes] = useState<readonly string[]>();
  return (
    <Panel title="Two-factor authentication">
      {codes === undefined ? (
        <QueryView query={factor} label="two-factor authentication">
          {(data) =>
            data.enabled ? <Enabled factor={data} onCodes={setCodes} /> : <Disabled onCodes={setCodes} />
          }
        </QueryView>
      ) : (
        <RecoveryCodesOnce codes={codes} onDone={() => setCodes(undefined)} />
      )}
    </Panel>
  );
}

function Disabled({ onCodes }: { readonly onCodes: (codes: readonly string[]) => void }) {
  const begin = useAction('beginSecondFactor');
  if (begin.response !== undefined) {
    return <SetUpForm secret={begin.response} onCodes={onCodes} onCancel={begin.reset} />;
  }
  return (
    <div className="stack">
      <p>
        A code from an authenticator app on your phone protects your account even if someone knows your
        password. Your other sessions end when you enable it.
      </p>
      <StartButton action={begin} variant="default" onClick={() => begin.run({})}>
        Set up
      </StartButton>
    </div>
  );
}

function Enabled(props: {
  readonly factor: Output<'getSecondFactor'>;
  readonly onCodes: (codes: readonly string[]) => void;
}) {
  const replacement = useAction('replaceRecoveryCodes', {
    onDone: ({ recoveryCodes }) => props.onCodes(recoveryCodes),
  });
  const disabling = useAction('disableSecondFactor', {
    done: 'Two-factor authentication disabled',
  });
  const { enabledAt, recoveryCodesLeft } = props.factor;
  return (
    <div className="stack">
      <Notice tone={recoveryCodesLeft < 3 ? 'warn' : 'good'} title="Enabled">
        {enabledAt !== null && (
          <>
            Turned on <PastTime at={enabledAt} />.{' '}
          </>
        )}
        {`${formatCountOf(recoveryCodesLeft, 'unused recovery code', 'unused recovery codes')}.`}
      </Notice>
      <div className="row">
        <CodeButton
          label="Create new recovery codes"
          consequence="Your earlier recovery codes stop working immediately."
          submitLabel="Create codes"
          action={replacement}
        />
        <CodeButton
          label="Disable"
          title="Disable two-factor authentication?"
          consequence="Your password alone will be enough to sign in. Your recovery codes stop working."
          submitLabel="Disable"
          button={{ tone: 'bad' }}
          action={disabling}
        />
      </div>
    </div>
  );
}

/** A button whose action starts with a code. */
function CodeButton(props: {
  readonly label: string;
  readonly title?: string;
  readonly consequence: string;
  readonly submitLabel: string;
  readonly button?: ButtonProps;
  readonly action: FormAction & {
    run: (
      input: { readonly body: { readonly code: string } },
      after: { readonly onSuccess: () => void },
    ) => void;
  };
}) {
  const { label, title = `${label}?`, consequence, action, ...form } = props;
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button variant="default" tone={form.button?.tone} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Modal opened={isOpen} onClose={close} title={title}>
        <p className="small">{consequence}</p>
        <CodeForm
          {...form}
          action={action}
          onCancel={close}
          onSubmit={(code) => action.run({ body: { code } }, { onSuccess: close })}
        />
      </Modal>
    </>
  );
}

/** Shows new recovery codes once. The owner continues after storing them. */
function RecoveryCodesOnce(props: { readonly codes: readonly string[]; readonly onDone: () => void }) {
  const [isStored, setStored] = useState(false);
  return (
    <div className="stack">
      <Notice tone="warn" title="These recovery codes are shown once" isAlert>
        If you lose your phone, sign in with one of these instead. Each works once. Store them somewhere other
        than your phone.
      </Notice>
      <CodeBlock label="Recovery codes" code={props.codes.join('\n')} />
      <Checkbox
        label="I have stored them"
        checked={isStored}
        onChange={({ currentTarget }) => setStored(currentTarget.checked)}
      />
      <Button disabled={!isStored} onClick={props.onDone}>
        Done
      </Button>
    </div>
  );
}

/** Shows the secret for an authenticator app, and enables it with a code. */
function SetUpForm(props: {
  readonly secret: Output<'beginSecondFactor'>;
  readonly onCodes: (codes: readonly string[]) => void;
  readonly onCancel: () => void;
}) {
  const { secret, uri } = props.secret;
  const enabling = useAction('enableSecondFactor', {
    onDone: ({ recoveryCodes }) => props.onCodes(recoveryCodes),
  });
  return (
    <div className="stack">
      <p>Scan this with an authenticator app, then enter the code that the app shows.</p>
      <QrCode text={uri} label="QR code with the secret for an authenticator app" />
      <SecretText title="Or type this secret into the app" label="Secret" secret={secret} />
      <CodeForm
        description="The 6 digits that the app shows"
        submitLabel="Enable"
        action={enabling}
        onCancel={props.onCancel}
        onSubmit={(code) => enabling.run({ body: { code } })}
      />
    </div>
  );
}

/** Blank modules around the code, which readers need. */
const QUIET_ZONE = 4;

/** A QR code, dark on white in both color schemes, because some readers need that. */
function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { data, size } = encode(text, { border: QUIET_ZONE });
  const modules = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x},${y}h1v1h-1z`] : [])),
  );
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      width={208}
      height={208}
      // Else there are fine lines between the modules.
      shapeRendering="crispEdges"
      data-secret
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={modules.join('')} fill="#000" />
    </svg>
  );
}

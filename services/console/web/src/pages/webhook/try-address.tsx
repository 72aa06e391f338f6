import { WEBHOOK_LIMITS } from '@partner/proto-contracts/api/limits';
import { CUSTOM_HEADER_LIMITS } from '@partner/proto-contracts/resources/subscription/custom-headers';
import { parsedUrl } from '@partner/proto-contracts/values/parsed-url';
import { isSameHost } from '@partner/proto-contracts/values/same-host';
import { useState } from 'react';
import { violationsByField } from '../../api/api-client.js';
import { useAction, type Webhook } from '../../api/hooks.js';
import { ConfirmedButton } from '../../parts/form.js';
import { PasswordInput } from '../../parts/fields.js';
import { AddressField } from './fields.js';
import { TestSteps, useTestDelivery } from './steps.js';

type Header = { readonly name: string; readonly value: string };

/** Tests another address, and switches the webhook to it. */
export function TryAddress({ webhook }: { readonly webhook: Webhook }) {
  const update = useAction('updateWebhook', { done: 'Address changed' });
  const [url, setUrl] = useState('');
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const violations = violationsByField(update.error);
  const isNew = parsedUrl(url) !== undefined && url !== webhook.url;
  const isOtherHost = isNew && !isSameHost(webhook.url, url);
  const headers = webhook.headerNames.flatMap((name) =>
    values[name] ? [{ name, value: values[name] }] : [],
  );
  const headersViolation = Object.entries(violations).find(([path]) => path.startsWith('headers'))?.[1];
  return (
    <div className="stack" style={{ maxWidth: 'var(--form-width)' }}>
      <p className="dim">
        Tests go to the new address, signed like real deliveries and marked as tests. Deliveries keep going to
        the current address until you switch.
      </p>
      <AddressField
        value={url}
        onChange={(value) => {
          setUrl(value);
          update.reset();
        }}
        violation={violations['url']}
      />
      {isNew && webhook.headerNames.length > 0 && (
        <p className="small">
          {isOtherHost
            ? 'This address has a different host. Stored values of custom headers are not sent to it, so enter the values for this host. A header without a value is removed.'
            : 'The test sends only the custom headers that you enter here. If you leave a value empty, the webhook keeps its stored one.'}
        </p>
      )}
      {isNew &&
        webhook.headerNames.map((name) => (
          <PasswordInput
            key={name}
            label={
              <>
                Value of <code>{name}</code> (optional)
              </>
            }
            value={values[name] ?? ''}
            onChange={({ currentTarget }) => setValues({ ...values, [name]: currentTarget.value })}
            maxLength={CUSTOM_HEADER_LIMITS.valueLength}
            autoComplete="off"
          />
        ))}
      {headersViolation !== undefined && <p style={{ color: 'var(--bad-text)' }}>{headersViolation}</p>}
      {isNew && (
        <TestAndSwitch
          key={JSON.stringify([url, headers])}
          webhook={webhook}
          body={{ url, ...(headers.length > 0 && { headers }) }}
          removed={isOtherHost ? webhook.headerNames.filter((name) => !values[name]) : []}
          update={update}
        />
      )}
    </div>
  );
}

function TestAndSwitch(props: {
  readonly webhook: Webhook;
  /** Of the test: the address, and the own headers that are entered for it. */
  readonly body: { readonly url: string; readonly headers?: readonly Header[] };
  /** Names of the headers that the new address does not get. */
  readonly removed: readonly string[];
  readonly update: ReturnType<typeof useAction<'updateWebhook'>>;
}) {
  const { webhook, body, removed, update } = props;
  const test = useTestDelivery(webhook.id, body);
  const isAccepted = test.outcome?.kind === 'delivered';
  const headers = [...(body.headers ?? []), ...removed.map((name) => ({ name, value: null }))];
  return (
    <>
      <TestSteps test={test} isNext={!isAccepted} />
      <ConfirmedButton
        label="Switch to it…"
        button={{ variant: isAccepted ? 'filled' : 'default' }}
        title="Switch to the new address?"
        confirmLabel="Switch"
        action={update}
        given={{
          params: { id: webhook.id },
          body: { url: body.url, ...(headers.length > 0 && { headers }) },
        }}
      >
        {isAccepted
          ? `It has accepted a test. If you switch within ${WEBHOOK_LIMITS.testedUrlMinutes} minutes of that test, the webhook isn’t paused. Waiting deliveries go to the new address.`
          : 'It has not accepted a test. If you switch, the webhook is paused. You can activate it again once the new address has accepted a test.'}
      </ConfirmedButton>
    </>
  );
}

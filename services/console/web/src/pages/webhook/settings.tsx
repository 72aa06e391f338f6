import { WEBHOOK_LIMITS } from '@partner/proto-contracts/api/limits';
import { CUSTOM_HEADER_LIMITS } from '@partner/proto-contracts/resources/subscription/custom-headers';
import { type ReactNode, useState } from 'react';
import { Link } from '../../parts/link.js';
import { useAction, type Webhook } from '../../api/hooks.js';
import { violationsByField } from '../../api/api-client.js';
import { Form, useFields } from '../../parts/form.js';
import { ActionButton, OwnerOnly, useOwner } from '../../parts/page.js';
import { PATHS } from '../../paths.js';
import { rateLabel } from '../../webhook-facts.js';
import { Checkbox, NumberInput, PasswordInput, TextInput } from '../../parts/fields.js';
import { Modal } from '../../parts/overlays.js';
import { Button } from '../../parts/ui.js';
import { EventChoice } from './event-choice.js';
import { WantedChanges, WantedChangesForm } from './wanted-changes.js';
import { eventsViolation } from './webhook-input.js';
import classes from './webhook.module.css';

/** The settings of a webhook, which an owner changes one by one. */
export function Settings({ webhook }: { readonly webhook: Webhook }) {
  const { id, url, description, events, headerNames, deliveriesPerSecond, ordered, schemaVersion } = webhook;
  const isViewer = useOwner().owner.role === 'viewer';
  return (
    <div className="stack">
      {isViewer && <p className="dim">You need the owner role to change these settings.</p>}
      <dl className={classes['settings']}>
        <Setting name="Name" change={(close) => <NameForm webhook={webhook} close={close} />}>
          {description === '' ? 'None' : description}
        </Setting>
        <Setting name="Address">
          {url}{' '}
          <OwnerOnly>
            <Link to={PATHS.webhook(id, 'try')}>Try a new address</Link>
          </OwnerOnly>
        </Setting>
        <Setting name="Events" change={(close) => <EventsForm webhook={webhook} close={close} />}>
          <span className="row">
            {events.map((event) => (
              <code key={event}>{event}</code>
            ))}
          </span>
        </Setting>
        <Setting
          name="Changes"
          hint="Leave out events about fields that your server does not use."
          change={(close) => <WantedChangesForm webhook={webhook} close={close} />}
        >
          <WantedChanges fields={webhook.fields} />
        </Setting>
        <Setting
          name="Custom headers"
          hint="Values are stored encrypted and never shown again."
          change={() => <HeadersForm webhook={webhook} />}
        >
          {headerNames.length === 0 ? 'None' : headerNames.join(', ')}
        </Setting>
        <Setting
          name="Rate"
          hint="Set a limit if your server has one."
          change={(close) => <RateForm webhook={webhook} close={close} />}
        >
          {rateLabel(deliveriesPerSecond)}
        </Setting>
        <Setting
          name="Order"
          hint="Send the events about one job one after another."
          change={(close) => <OrderForm webhook={webhook} close={close} />}
        >
          {ordered ? 'One after another for each job' : 'As soon as possible'}
        </Setting>
        <Setting
          name="Signature"
          hint="Let systems verify deliveries that must not have the secret."
          change={(close) => <SignatureForm webhook={webhook} close={close} />}
        >
          {webhook.asymmetricSignature ? 'With the secret and a private key' : 'With the secret'}{' '}
          {webhook.asymmetricSignature && <a href={`/.well-known/webhooks/${id}`}>Public keys</a>}
        </Setting>
        <Setting name="Sent from">
          <a href="/.well-known/webhooks">Addresses for your firewall</a>
        </Setting>
        <Setting name="Payload version">{schemaVersion}</Setting>
      </dl>
    </div>
  );
}

/** A setting with a button that changes it in a dialog. */
function Setting(props: {
  readonly name: string;
  readonly children: ReactNode;
  /** Only for those who can change it. */
  readonly hint?: string;
  readonly change?: (close: () => void) => ReactNode;
}) {
  const { name, children, hint, change } = props;
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <div>
          {children}
          {hint !== undefined && (
            <OwnerOnly>
              <small>{hint}</small>
            </OwnerOnly>
          )}
        </div>
        {change !== undefined && (
          <ActionButton
            variant="default"
            size="xs"
            aria-label={`Change: ${name}`}
            onClick={() => setOpen(true)}
          >
            Change
          </ActionButton>
        )}
        <Modal opened={isOpen} onClose={close} title={name} size="lg">
          {change?.(close)}
        </Modal>
      </dd>
    </div>
  );
}

interface Changed {
  readonly webhook: Webhook;
  readonly close: () => void;
}

const useChange = (close?: () => void) =>
  useAction('updateWebhook', { done: 'Changes saved', onDone: close });

function NameForm({ webhook: { id, description }, close }: Changed) {
  const update = useChange(close);
  const { values, field } = useFields({ description }, update.error);
  const submit = () => update.run({ params: { id }, body: values });
  return (
    <Form action={update} submitLabel="Save" onSubmit={submit} onCancel={close}>
      <TextInput
        label="Name (optional)"
        description="Shown in this console."
        maxLength={200}
        {...field('description')}
      />
    </Form>
  );
}

function EventsForm({ webhook, close }: Changed) {
  const update = useChange(close);
  const [events, setEvents] = useState<readonly string[]>(webhook.events);
  const submit = () => update.run({ params: { id: webhook.id }, body: { events } });
  return (
    <Form
      action={update}
      submitLabel="Save"
      button={{ disabled: events.length === 0 }}
      onSubmit={submit}
      onCancel={close}
    >
      <EventChoice
        value={events}
        onChange={setEvents}
        violation={
          events.length === 0
            ? 'Choose at least one event.'
            : eventsViolation(violationsByField(update.error))
        }
      />
    </Form>
  );
}

function RateForm({ webhook, close }: Changed) {
  const update = useChange(close);
  const [rate, setRate] = useState(webhook.deliveriesPerSecond);
  const submit = () => update.run({ params: { id: webhook.id }, body: { deliveriesPerSecond: rate } });
  return (
    <Form action={update} submitLabel="Save" onSubmit={submit} onCancel={close}>
      <NumberInput
        label="Deliveries per second (optional)"
        description="Set a limit if your server can handle only a few requests at a time. Other deliveries wait. None are lost."
        value={rate}
        onChange={setRate}
        error={violationsByField(update.error)['deliveriesPerSecond']}
        max={WEBHOOK_LIMITS.deliveriesPerSecond}
      />
    </Form>
  );
}

const OrderForm = (changed: Changed) => (
  <OptionForm
    {...changed}
    was={changed.webhook.ordered}
    bodyOf={(ordered) => ({ ordered })}
    label="Send the events about one job one after another"
  >
    The next event about a job is sent when your server has accepted the one before it, or when its retries
    have ended, which can take hours. Events about other jobs do not wait.
  </OptionForm>
);

const SignatureForm = (changed: Changed) => (
  <OptionForm
    {...changed}
    was={changed.webhook.asymmetricSignature}
    bodyOf={(asymmetricSignature) => ({ asymmetricSignature })}
    label="Also sign with a private key"
  >
    The service signs every delivery with a private key of this webhook too (v1a, Ed25519). Anyone can verify
    it with the public keys, and no one can sign with them.
  </OptionForm>
);

function OptionForm(
  props: Changed & {
    readonly was: boolean;
    readonly bodyOf: (isOn: boolean) => {
      readonly ordered?: boolean;
      readonly asymmetricSignature?: boolean;
    };
    readonly label: string;
    readonly children: ReactNode;
  },
) {
  const { webhook, close, was, bodyOf, label, children } = props;
  const update = useChange(close);
  const [isOn, setOn] = useState(was);
  const submit = () => update.run({ params: { id: webhook.id }, body: bodyOf(isOn) });
  return (
    <Form action={update} submitLabel="Save" onSubmit={submit} onCancel={close}>
      <p className="small">{children}</p>
      <Checkbox label={label} checked={isOn} onChange={({ currentTarget }) => setOn(currentTarget.checked)} />
    </Form>
  );
}

/** The names of own headers, and a form that sets one. */
function HeadersForm({ webhook: { id, headerNames } }: { readonly webhook: Webhook }) {
  const update = useChange();
  const { values, violations, field, clear } = useFields({ name: '', value: '' }, update.error);
  const name = values.name.trim();
  const set = (header: { readonly name: string; readonly value: string | null }, onSuccess?: () => void) =>
    update.run({ params: { id }, body: { headers: [header] } }, { ...(onSuccess && { onSuccess }) });
  return (
    <div className="stack">
      <p className="small">Sent with every delivery and test, for example a key for your API gateway.</p>
      {headerNames.map((header) => (
        <div className="row" key={header}>
          {header}
          <Button
            size="xs"
            variant="default"
            aria-label={`Remove the header ${header}`}
            disabled={update.isRunning}
            onClick={() => set({ name: header, value: null })}
          >
            Remove
          </Button>
        </div>
      ))}
      <Form
        action={update}
        submitLabel={headerNames.includes(name.toLowerCase()) ? 'Replace header' : 'Add header'}
        button={{ disabled: values.name === '' || values.value === '' }}
        onSubmit={() => set({ name, value: values.value }, clear)}
      >
        <TextInput
          label="Header name"
          {...field('name')}
          error={violations['headers.0.name'] ?? violations['headers']}
          maxLength={CUSTOM_HEADER_LIMITS.nameLength}
          autoComplete="off"
          spellCheck={false}
        />
        <PasswordInput
          label="Header value"
          {...field('value')}
          error={violations['headers.0.value']}
          maxLength={CUSTOM_HEADER_LIMITS.valueLength}
          autoComplete="off"
        />
      </Form>
    </div>
  );
}

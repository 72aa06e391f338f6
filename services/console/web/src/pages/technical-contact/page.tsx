import { type Output, useAction, useOperation } from '../../api/hooks.js';
import { Notice, OwnerOnly, PageHeader, Panel, QueryView } from '../../parts/page.js';
import { TextInput } from '../../parts/fields.js';
import { Form, useFields } from '../../parts/form.js';
import { DueTime, PastTime } from '../../parts/data.js';

/** Page of the technical contact. */
export function Page() {
  const contact = useOperation('getTechnicalContact', {});
  return (
    <>
      <PageHeader
        title="Technical contact"
        description="Receives announcements of new API versions and changes by email."
      />
      <QueryView query={contact} label="the technical contact">
        {(data) => <Contact contact={data} />}
      </QueryView>
    </>
  );
}

function Contact({ contact }: { readonly contact: Output<'getTechnicalContact'> }) {
  const { email, confirmedAt, pending } = contact;
  return (
    <div className="stack">
      {email === null ? (
        <Notice tone="warn" title="No address is confirmed">
          Your company does not receive announcements of new versions.
        </Notice>
      ) : (
        <Panel title="Confirmed address">
          <p>{email}</p>
          {confirmedAt !== null && (
            <div className="dim small">
              Confirmed <PastTime at={confirmedAt} />
            </div>
          )}
        </Panel>
      )}
      {pending !== null && (
        <Notice tone="info" title={`${pending.email} is pending`}>
          Open the link in the email to confirm the address. It expires <DueTime at={pending.expiresAt} />.
        </Notice>
      )}
      <OwnerOnly>
        <ContactForm />
      </OwnerOnly>
    </div>
  );
}

function ContactForm() {
  const set = useAction('setTechnicalContact', { onDone: () => clear() });
  const { values, field, clear } = useFields({ email: '' }, null);
  return (
    <Panel title="Set an address">
      <Form action={set} submitLabel="Send confirmation link" onSubmit={() => set.run({ body: values })}>
        {set.response?.emailSent === true && <Notice tone="good" title="Confirmation link sent" isAlert />}
        {set.response?.emailSent === false && (
          <Notice tone="warn" title="The address is pending, but no email was sent" isAlert>
            This service has no mail server. Without the link the address cannot be confirmed.
          </Notice>
        )}
        <TextInput
          label="Email address"
          type="email"
          required
          description="The confirmed address stays until the new one is confirmed"
          {...field('email')}
        />
      </Form>
    </Panel>
  );
}

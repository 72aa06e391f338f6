import { Link } from '../../parts/link.js';
import { Notice, PageHeader, Panel, QueryView, useOwner } from '../../parts/page.js';
import { type Output, useAction, useOperation } from '../../api/hooks.js';
import { Form, useFields } from '../../parts/form.js';
import { PATHS } from '../../paths.js';
import { Choices } from '../../parts/fields.js';

/** Page of the owner's notification settings. */
export function Page() {
  const settings = useOperation('getNotificationSettings', {});
  return (
    <>
      <PageHeader
        title="Notifications"
        description="Get an email when a webhook fails or recovers, when deliveries are given up, and before a secret, a certificate or an API key expires."
      />
      <QueryView query={settings} label="your notification settings">
        {(data) => <Settings key={data.emails} settings={data} />}
      </QueryView>
    </>
  );
}

type Settings = Output<'getNotificationSettings'>;

const CHOICES: readonly {
  readonly value: Settings['emails'];
  readonly label: string;
  readonly description: string;
}[] = [
  {
    value: 'immediately',
    label: 'Immediately',
    description: 'The first notification immediately, then at most one email an hour with all new ones',
  },
  { value: 'daily', label: 'Daily', description: 'At most one email a day with all new ones' },
  { value: 'off', label: 'Off', description: 'No emails' },
];

function Settings({ settings }: { readonly settings: Settings }) {
  const { role } = useOwner().owner;
  return (
    <div className="stack">
      {!settings.hasMailServer && (
        <Notice tone="warn" title="No emails are sent">
          This service has no mail server.
        </Notice>
      )}
      <Panel title="Your emails">
        {role === 'owner' ? (
          <SettingsForm settings={settings} />
        ) : (
          <p>Off. Your role is viewer, and only owners get these emails.</p>
        )}
      </Panel>
      <Panel title="For your systems">
        <p>
          Your systems can subscribe to these <Link to={PATHS.catalogue}>events</Link>, too. A webhook doesn’t
          receive events about itself, so use a second one.
        </p>
      </Panel>
    </div>
  );
}

/** How often the owner gets emails. */
function SettingsForm({ settings }: { readonly settings: Settings }) {
  const set = useAction('setNotificationSettings', { done: 'Settings saved' });
  const { values, set: choose } = useFields({ emails: settings.emails }, set.error);
  const { emails } = values;
  return (
    <Form
      action={set}
      submitLabel="Save"
      button={{ disabled: emails === settings.emails }}
      onSubmit={() => set.run({ body: { emails } })}
    >
      <Choices
        label="How often you get emails"
        description={settings.email === null ? 'Your account has no email address' : `To ${settings.email}`}
        values={[emails]}
        options={CHOICES}
        onToggle={(picked) => choose({ emails: picked })}
      />
    </Form>
  );
}

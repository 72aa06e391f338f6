import { useState } from 'react';
import { PageHeader } from '../../parts/page-header.js';
import { PATHS } from '../../paths.js';
import { type CreatedWebhook, FirstSteps } from './first-steps.js';
import { NewWebhookForm } from './new-webhook-form.js';

/** From nothing to an active webhook, on one page. */
export function Page() {
  const [created, setCreated] = useState<CreatedWebhook>();
  return (
    <>
      <PageHeader
        title="Create a webhook"
        back={{ to: PATHS.webhooks, label: 'Webhooks' }}
        description="Say where events are sent and which, give your server the secret, see a test arrive, and switch it on."
      />
      {created === undefined ? <NewWebhookForm onCreated={setCreated} /> : <FirstSteps created={created} />}
    </>
  );
}

import { useState } from 'react';
import { PageHeader } from '../../parts/page.js';
import { PATHS } from '../../paths.js';
import { type CreatedWebhook, FirstSteps } from './first-steps.js';
import { NewWebhookForm } from './new-webhook-form.js';

/** Page that leads to a new, active webhook. */
export function Page() {
  const [created, setCreated] = useState<CreatedWebhook>();
  return (
    <>
      <PageHeader
        title="Create a webhook"
        back={{ to: PATHS.webhooks, label: 'Webhooks' }}
        description="Choose a URL and events, add the secret to your server, send a test delivery, then activate the webhook."
      />
      {created === undefined ? <NewWebhookForm onCreated={setCreated} /> : <FirstSteps created={created} />}
    </>
  );
}

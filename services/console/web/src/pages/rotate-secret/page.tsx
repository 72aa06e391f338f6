import { useParams } from 'react-router';
import { useWebhook } from '../../api/hooks.js';
import { QueryView } from '../../parts/query-view.js';
import { PageHeader } from '../../parts/page.js';
import { PATHS } from '../../paths.js';
import { webhookName } from '../../webhook-name.js';
import { RotationSteps } from './rotation-steps.js';

/** Page that rotates a secret without deliveries that the receiver cannot verify. */
export function Page() {
  const { id = '' } = useParams();
  const webhook = useWebhook(id);
  return (
    <>
      <PageHeader
        title="Rotate signing secret"
        back={{
          to: PATHS.webhook(id),
          label: webhook.data === undefined ? 'Webhook' : webhookName(webhook.data),
        }}
        description="Both secrets work until you activate the new one, so no delivery is lost. You can leave and continue later."
      />
      <QueryView query={webhook} label="the webhook">
        {(found) => <RotationSteps key={found.id} webhook={found} />}
      </QueryView>
    </>
  );
}

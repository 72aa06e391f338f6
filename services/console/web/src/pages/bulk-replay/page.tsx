import { Stack } from '@mantine/core';
import { useParams } from 'react-router';
import { useWebhook } from '../../api/hooks.js';
import { QueryView } from '../../parts/query-view.js';
import { PageHeader } from '../../parts/page.js';
import { PATHS } from '../../paths.js';
import { webhookName } from '../../webhook-name.js';
import { ReplayForm } from './replay-form.js';
import { ReplayList } from './replay-list.js';

/** Page for bulk replays of a webhook. */
export function Page() {
  const { id = '' } = useParams();
  const webhook = useWebhook(id);
  return (
    <>
      <PageHeader
        title="Bulk replay and retry"
        description={
          webhook.data === undefined
            ? undefined
            : `Send events to ${webhookName(webhook.data)} again, or retry waiting deliveries now, for example after an outage of your server.`
        }
        back={{ to: PATHS.deliveries({ webhook: id }), label: 'Deliveries' }}
      />
      <QueryView query={webhook} label="the webhook">
        {(data) => (
          <Stack gap="lg">
            <ReplayForm webhook={data} />
            <ReplayList webhookId={data.id} />
          </Stack>
        )}
      </QueryView>
    </>
  );
}

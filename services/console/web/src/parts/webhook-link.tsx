import { Text } from '@mantine/core';
import type { Webhook } from '../api/operations.js';
import { PATHS } from '../paths.js';
import { webhookName } from '../webhook-name.js';
import { TextLink } from './text-link.js';

/** Link to a webhook by its name, with its URL if the name differs. */
export function WebhookLink({ webhook }: { readonly webhook: Webhook }) {
  return (
    <div>
      <TextLink to={PATHS.webhook(webhook.id)} fw={600}>
        {webhookName(webhook)}
      </TextLink>
      {webhook.description !== '' && (
        <Text size="xs" c="dimmed">
          {webhook.url}
        </Text>
      )}
    </div>
  );
}

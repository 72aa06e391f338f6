import { Text } from '@mantine/core';
import type { Webhook } from '../api/webhooks.js';
import { PATHS } from '../paths.js';
import { webhookName } from '../webhook-name.js';
import { TextLink } from './text-link.js';

/** The name of a webhook, which leads to its page, and its address where the name does not tell it. */
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

import { Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { useAction } from '../../api/hooks.js';
import type { Webhook } from '../../api/operations.js';
import { ConfirmedButton } from '../../parts/confirm-dialog.js';
import { FormFailure } from '../../parts/form.js';
import { Panel } from '../../parts/page.js';

/** Deletes a subscription after the owner has typed its host. */
export function DeletePanel({
  webhook,
  deletion,
}: {
  readonly webhook: Webhook;
  readonly deletion: ReturnType<typeof useAction<'deleteWebhook'>>;
}) {
  const [typed, setTyped] = useState('');
  const { host } = new URL(webhook.url);
  return (
    <Panel title="Delete">
      <Stack gap="sm">
        <span>Permanently deletes the webhook and its secrets. To stop it temporarily, pause it.</span>
        <FormFailure error={deletion.error} />
        <Group>
          <ConfirmedButton
            label="Delete webhook"
            title="Delete this webhook?"
            confirmLabel="Delete permanently"
            isDangerous
            isBlocked={typed.trim() !== host}
            action={deletion}
            given={{ params: { id: webhook.id } }}
            onOpen={() => setTyped('')}
          >
            <Stack gap="sm">
              <Text>
                Nothing more is sent, queued deliveries are cancelled, and its secrets are deleted. You cannot
                undo this.
              </Text>
              <TextInput
                label={
                  <>
                    To confirm, type <Code>{host}</Code>
                  </>
                }
                value={typed}
                onChange={({ currentTarget }) => setTyped(currentTarget.value)}
                autoComplete="off"
                spellCheck={false}
              />
            </Stack>
          </ConfirmedButton>
        </Group>
      </Stack>
    </Panel>
  );
}

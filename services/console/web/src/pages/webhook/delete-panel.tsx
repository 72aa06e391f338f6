import { Button, Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Webhook } from '../../api/webhooks.js';
import { ConfirmDialog } from '../../parts/confirm-dialog.js';
import { Panel } from '../../parts/panel.js';

/** Deletes a subscription, once its host was typed. */
export function DeletePanel({
  webhook,
  onDelete,
}: {
  readonly webhook: Webhook;
  readonly onDelete: () => void;
}) {
  const [isAsking, setAsking] = useState(false);
  const [typed, setTyped] = useState('');
  const { host } = new URL(webhook.url);
  return (
    <Panel title="Delete">
      <Stack gap="sm">
        <span>Deletes the webhook and its secrets for good. To stop it for a while, pause it.</span>
        <Group>
          <Button
            variant="default"
            onClick={() => {
              setTyped('');
              setAsking(true);
            }}
          >
            Delete webhook
          </Button>
        </Group>
      </Stack>
      <ConfirmDialog
        isOpen={isAsking}
        title="Delete this webhook?"
        confirmLabel="Delete for good"
        isDangerous
        isBlocked={typed.trim() !== host}
        onConfirm={onDelete}
        onClose={() => setAsking(false)}
      >
        <Stack gap="sm">
          <Text>
            Nothing more is sent to it, what waits is cancelled, and its secrets are gone. This can not be
            undone.
          </Text>
          <TextInput
            label={
              <>
                To go on, type <Code>{host}</Code>
              </>
            }
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
          />
        </Stack>
      </ConfirmDialog>
    </Panel>
  );
}

import { Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Webhook } from '../../api/operations.js';
import { ActionButton } from '../../parts/action-button.js';
import { ConfirmDialog } from '../../parts/confirm-dialog.js';
import { FormFailure } from '../../parts/form-failure.js';
import { Panel } from '../../parts/panel.js';

/** Deletes a subscription after the owner has typed its host. */
export function DeletePanel({
  webhook,
  error,
  onDelete,
}: {
  readonly webhook: Webhook;
  /** Why the deletion failed. */
  readonly error: unknown;
  readonly onDelete: () => void;
}) {
  const [isAsking, setAsking] = useState(false);
  const [typed, setTyped] = useState('');
  const { host } = new URL(webhook.url);
  return (
    <Panel title="Delete">
      <Stack gap="sm">
        <span>Permanently deletes the webhook and its secrets. To stop it temporarily, pause it.</span>
        <FormFailure error={error} />
        <Group>
          <ActionButton
            variant="default"
            onClick={() => {
              setTyped('');
              setAsking(true);
            }}
          >
            Delete webhook
          </ActionButton>
        </Group>
      </Stack>
      <ConfirmDialog
        isOpen={isAsking}
        title="Delete this webhook?"
        confirmLabel="Delete permanently"
        isDangerous
        isBlocked={typed.trim() !== host}
        onConfirm={onDelete}
        onClose={() => setAsking(false)}
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
      </ConfirmDialog>
    </Panel>
  );
}

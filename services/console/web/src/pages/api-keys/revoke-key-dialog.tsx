import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type SubmitEvent, useState } from 'react';
import type { ApiKey } from '../../api/operations.js';
import { useAction } from '../../api/use-action.js';
import { FormFailure } from '../../parts/form-failure.js';
import { PastTime } from '../../parts/relative-time.js';
import { keyName } from './key-labels.js';

/** Revokes a key after the owner has typed its last four characters. */
export function RevokeKeyDialog({
  apiKey,
  onClose,
}: {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}) {
  const revocation = useAction('revokeApiKey', { done: 'API key revoked', onDone: onClose });
  const [typed, setTyped] = useState('');
  const isTyped = typed.trim() === apiKey.lastFour;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (isTyped) revocation.run({ params: { id: apiKey.id } });
  };
  return (
    <Modal opened onClose={onClose} title={`Revoke ${keyName(apiKey)}?`}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">
            Within 5 seconds every request with this key fails. You cannot undo this. To replace a key without
            downtime, rotate it instead.
          </Text>
          <Text size="sm">
            {apiKey.lastUsedAt === null ? (
              'It was never used.'
            ) : (
              <>
                It was last used <PastTime at={apiKey.lastUsedAt} />.
              </>
            )}
          </Text>
          <TextInput
            label={`Type the last four characters of the key, ${apiKey.lastFour}`}
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
          />
          <FormFailure error={revocation.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" color="red.9" disabled={!isTyped} loading={revocation.isRunning}>
              Revoke key
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

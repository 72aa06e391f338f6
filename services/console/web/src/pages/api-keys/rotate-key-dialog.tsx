import { Button, Group, List, Modal, NativeSelect, Stack, Text } from '@mantine/core';
import { KEY_LIMITS } from '@partner/proto-contracts/resources/api-key/api-key';
import { useState } from 'react';
import type { ApiKey } from '../../api/operations.js';
import { useAction } from '../../api/use-action.js';
import { FormFailure } from '../../parts/form-failure.js';
import { Notice } from '../../parts/notice.js';
import { DueTime, PastTime } from '../../parts/relative-time.js';
import { KeyOnce } from './key-once.js';
import { keyName } from './key-labels.js';

const OVERLAPS = [
  { hours: 0, label: 'No overlap: the old key expires at once' },
  { hours: 1, label: '1 hour' },
  { hours: 24, label: '24 hours' },
  { hours: 72, label: '3 days' },
  { hours: 168, label: '7 days' },
] as const;

/** Replaces a key, with an overlap in which both are accepted. */
export function RotateKeyDialog({
  apiKey,
  onClose,
}: {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}) {
  const rotation = useAction('rotateApiKey');
  const [overlapHours, setOverlap] = useState<number>(KEY_LIMITS.overlapHours.default);
  const { response } = rotation;
  return (
    <Modal
      opened
      onClose={onClose}
      title={response === undefined ? `Rotate ${keyName(apiKey)}` : 'Your new API key'}
      size="lg"
      // Closing would lose the key.
      closeOnClickOutside={response === undefined}
      closeOnEscape={response === undefined}
      withCloseButton={response === undefined}
    >
      {response === undefined ? (
        <Stack>
          <List type="ordered" size="sm" spacing={6}>
            <List.Item>You get a new key with the same permissions.</List.Item>
            <List.Item>
              During the overlap both keys work. Replace the key ending in <b>{apiKey.lastFour}</b> wherever
              you use it.
            </List.Item>
            <List.Item>The old key expires automatically.</List.Item>
          </List>
          <NativeSelect
            label="Overlap"
            value={String(overlapHours)}
            onChange={({ currentTarget }) => setOverlap(Number(currentTarget.value))}
            data={OVERLAPS.map(({ hours, label }) => ({ value: String(hours), label }))}
          />
          <Text size="sm" c="dimmed">
            If the key may be compromised, choose no overlap.
          </Text>
          <FormFailure error={rotation.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              loading={rotation.isRunning}
              onClick={() => rotation.run({ params: { id: apiKey.id }, body: { overlapHours } })}
            >
              Rotate key
            </Button>
          </Group>
        </Stack>
      ) : (
        <Stack>
          {response.previous.expiresAt !== null && (
            <Notice tone="info">
              The old key, ending in {response.previous.lastFour},{' '}
              {response.previous.state === 'expiring' ? (
                <>
                  ends <DueTime at={response.previous.expiresAt} />
                </>
              ) : (
                <>
                  ended <PastTime at={response.previous.expiresAt} />
                </>
              )}
              .
            </Notice>
          )}
          <KeyOnce kind={response.key.kind} apiKey={response.apiKey} onDone={onClose} />
        </Stack>
      )}
    </Modal>
  );
}

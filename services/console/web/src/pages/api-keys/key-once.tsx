import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { ApiKey } from '../../api/operations.js';
import { CodeBlock } from '../../parts/code-block.js';
import { SecretOnce } from '../../parts/secret-once.js';
import { KIND_LABELS, testCommand } from './key-labels.js';

/** Shows a new key once, with a test command. The owner continues after storing it. */
export function KeyOnce(props: {
  readonly kind: ApiKey['kind'];
  readonly apiKey: string;
  readonly onDone: () => void;
}) {
  const { kind, apiKey, onDone } = props;
  const [isStored, setStored] = useState(false);
  return (
    <Stack>
      <SecretOnce label="API key" secret={apiKey} onStored={setStored} />
      <div>
        <Text size="sm" fw={600}>
          Try it
        </Text>
        <Text size="sm" c="dimmed" mb="xs">
          {KIND_LABELS[kind].testHint}
        </Text>
        <CodeBlock label="Command" code={testCommand(kind, apiKey, window.location.origin)} wraps />
      </div>
      <Group justify="flex-end">
        <Button disabled={!isStored} onClick={onDone}>
          Done
        </Button>
      </Group>
    </Stack>
  );
}

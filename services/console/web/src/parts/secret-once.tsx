import { Checkbox, Code, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { CopyButton } from './copy-button.js';
import { Notice } from './notice.js';

/**
 * Shows a secret once. `onStored` reports whether the owner confirms that it is stored; let them continue only then.
 */
export function SecretOnce(props: {
  /** Name, e.g. `Signing secret`. */
  readonly label: string;
  readonly secret: string;
  readonly onStored?: (isStored: boolean) => void;
}) {
  const { label, secret, onStored } = props;
  const [isStored, setStored] = useState(false);
  return (
    <Stack gap="sm">
      <Notice tone="warn" title="This secret is shown once">
        Store it where your server reads it from, such as a secret manager. You won’t see it again. If you
        lose it, create a new one.
      </Notice>
      <div>
        <Text size="sm" fw={600} mb={4}>
          {label}
        </Text>
        <Group gap="xs" align="center">
          <Code fz="sm" p="xs" aria-label={label} data-secret>
            {secret}
          </Code>
          <CopyButton
            value={secret}
            what={label.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())}
          />
        </Group>
      </div>
      {onStored !== undefined && (
        <Checkbox
          label="I have stored it"
          checked={isStored}
          onChange={({ currentTarget }) => {
            setStored(currentTarget.checked);
            onStored(currentTarget.checked);
          }}
        />
      )}
    </Stack>
  );
}

import { ActionIcon, Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { announce } from '../notifications/announcer.js';

/** Copies a text. `what` names it, e.g. `secret`. The small variant is only an icon with the same label. */
export function CopyButton(props: {
  readonly value: string;
  readonly what: string;
  readonly isSmall?: boolean;
}) {
  const { value, what, isSmall = false } = props;
  const clipboard = useClipboard({ timeout: 2_000 });
  const label = clipboard.copied ? 'Copied' : `Copy ${what}`;
  const copy = () => {
    clipboard.copy(value);
    announce(`Copied ${what}.`);
  };
  const Icon = clipboard.copied ? IconCheck : IconCopy;
  return isSmall ? (
    <ActionIcon variant="subtle" size="md" aria-label={`Copy ${what}`} title={label} onClick={copy}>
      <Icon size={16} aria-hidden />
    </ActionIcon>
  ) : (
    <Button variant="default" size="xs" leftSection={<Icon size={16} aria-hidden />} onClick={copy}>
      {label}
    </Button>
  );
}

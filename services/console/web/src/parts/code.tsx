import { IconCheck, IconCopy } from '@tabler/icons-react';
import { type ReactNode, useEffect, useState } from 'react';
import classes from './code.module.css';
import { announce } from '../notifications/notify.js';
import { Checkbox } from './fields.js';
import { Notice, Small } from './page.js';
import { ActionIcon, Button, Group, Stack } from './ui.js';

/** A verbatim text with a name and a copy button. It can be scrolled by keyboard. */
export function CodeBlock(props: {
  /** Name, e.g. `Request body`. */
  readonly label: string;
  readonly code: string;
  /** Copied object in the button's label, if the name is too long. */
  readonly copies?: string;
  readonly wraps?: boolean;
  /** Maximum height, as a CSS length. */
  readonly maxHeight?: string;
  /** Shows the text in another form. */
  readonly children?: ReactNode;
}) {
  const { label, code, copies = label.toLowerCase(), wraps = false, maxHeight = '28rem' } = props;
  const Text = props.children ? 'div' : 'pre';
  return (
    <div className={classes['frame']}>
      <div className={classes['bar']}>
        <Small fw={600}>{label}</Small>
        <CopyButton value={code} what={copies} isSmall />
      </div>
      <Text
        className={classes['code']}
        data-wraps={wraps}
        style={{ maxHeight }}
        tabIndex={0}
        role="region"
        aria-label={label}
      >
        {props.children || <code>{code}</code>}
      </Text>
    </div>
  );
}

const COPIED_MS = 2_000;

/** Copies a text. `what` names it, e.g. `secret`. The small variant is only an icon with the same label. */
export function CopyButton(props: {
  readonly value: string;
  readonly what: string;
  readonly isSmall?: boolean;
}) {
  const { value, what, isSmall = false } = props;
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    const timer = isCopied && setTimeout(() => setCopied(false), COPIED_MS);
    return () => void (timer && clearTimeout(timer));
  }, [isCopied]);
  const label = isCopied ? 'Copied' : `Copy ${what}`;
  const copy = () => {
    void navigator.clipboard.writeText(value).then(() => {
      setCopied(true);
      announce(`Copied ${what}.`);
    });
  };
  const Icon = isCopied ? IconCheck : IconCopy;
  return isSmall ? (
    <ActionIcon aria-label={`Copy ${what}`} title={label} onClick={copy}>
      <Icon size={16} aria-hidden />
    </ActionIcon>
  ) : (
    <Button variant="default" size="xs" leftSection={<Icon size={16} aria-hidden />} onClick={copy}>
      {label}
    </Button>
  );
}

/** A secret with a title above it and a copy button. */
export function SecretText(props: {
  readonly title: string;
  /** Name, e.g. `Signing secret`. */
  readonly label: string;
  readonly secret: string;
}) {
  const { title, label, secret } = props;
  return (
    <div>
      <Small fw={600} mb={4}>
        {title}
      </Small>
      <Group gap="xs">
        <code aria-label={label} data-secret>
          {secret}
        </code>
        <CopyButton value={secret} what={label.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())} />
      </Group>
    </div>
  );
}

/** Shows a secret once. `onStored` reports whether the owner confirms that it is stored; let them continue only then. */
export function SecretOnce(props: {
  readonly label: string;
  readonly secret: string;
  readonly onStored: (isStored: boolean) => void;
}) {
  const { label, secret, onStored } = props;
  return (
    <Stack gap="sm">
      <Notice tone="warn" title="This secret is shown once">
        Store it where your server reads it from, such as a secret manager. You won’t see it again. If you
        lose it, create a new one.
      </Notice>
      <SecretText title={label} label={label} secret={secret} />
      <Checkbox label="I have stored it" onChange={({ currentTarget }) => onStored(currentTarget.checked)} />
    </Stack>
  );
}

import { IconCheck, IconCopy } from '@tabler/icons-react';
import { type ReactNode, useEffect, useState } from 'react';
import classes from './code.module.css';
import { announce } from '../notifications/notify.js';
import { Checkbox } from './fields.js';
import { Notice } from './page.js';
import { ActionIcon } from './ui.js';

/** A verbatim text with a name and a copy button. It can be scrolled by keyboard. */
export function CodeBlock(props: {
  /** Name, e.g. `Request body`. */
  readonly label: string;
  readonly code: string;
  /** Copied object in the button's label, if the name is too long. */
  readonly copies?: string;
  /** Shows the text in another form. */
  readonly children?: ReactNode;
}) {
  const { label, code, copies = label.toLowerCase() } = props;
  const Block = props.children ? 'div' : 'pre';
  return (
    <div className={classes['frame']}>
      <div className="row between">
        <b className="small">{label}</b>
        <CopyButton value={code} what={copies} />
      </div>
      <Block tabIndex={0} role="region" aria-label={label}>
        {props.children || <code>{code}</code>}
      </Block>
    </div>
  );
}

const COPIED_MS = 2_000;

/** Copies a text. `what` names it, e.g. `secret`. */
export function CopyButton({ value, what }: { readonly value: string; readonly what: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    const timer = isCopied && setTimeout(() => setCopied(false), COPIED_MS);
    return () => void (timer && clearTimeout(timer));
  }, [isCopied]);
  const copy = () => {
    void navigator.clipboard.writeText(value).then(() => {
      setCopied(true);
      announce(`Copied ${what}.`);
    });
  };
  const Icon = isCopied ? IconCheck : IconCopy;
  return (
    <ActionIcon aria-label={`Copy ${what}`} title={isCopied ? 'Copied' : `Copy ${what}`} onClick={copy}>
      <Icon size={16} aria-hidden />
    </ActionIcon>
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
      <b className="small">{title}</b>
      <div className="row">
        <code aria-label={label} data-secret>
          {secret}
        </code>
        <CopyButton value={secret} what={label.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())} />
      </div>
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
    <div className="stack">
      <Notice tone="warn" title="This secret is shown once">
        Store it where your server reads it from, such as a secret manager. You won’t see it again. If you
        lose it, create a new one.
      </Notice>
      <SecretText title={label} label={label} secret={secret} />
      <Checkbox label="I have stored it" onChange={({ currentTarget }) => onStored(currentTarget.checked)} />
    </div>
  );
}

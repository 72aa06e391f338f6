import { useState } from 'react';
import { TextInput } from './fields.js';
import { ConfirmDialog } from './form.js';

/** Asks for confirmation of what cannot be undone: the owner types a text first. */
export function TypedDialog({
  text,
  children,
  ...dialog
}: Omit<Parameters<typeof ConfirmDialog>[0], 'isBlocked' | 'isDangerous'> & { readonly text: string }) {
  const [typed, setTyped] = useState('');
  return (
    <ConfirmDialog {...dialog} isDangerous isBlocked={typed.trim() !== text}>
      {children}
      <TextInput
        label={`To confirm, type ${text}`}
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
      />
    </ConfirmDialog>
  );
}

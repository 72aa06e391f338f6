import { Button, type ButtonProps } from '@mantine/core';
import type { ComponentPropsWithoutRef } from 'react';
import { OwnerOnly } from './owner-only.js';

/** A button that begins a change for the company; a viewer does not see it. */
export function ActionButton(button: ButtonProps & ComponentPropsWithoutRef<'button'>) {
  return (
    <OwnerOnly>
      <Button {...button} />
    </OwnerOnly>
  );
}

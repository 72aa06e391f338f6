import { Button, type ButtonProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';

/** A link to another page of the console that looks like a button. */
export function LinkButton({
  to,
  children,
  ...button
}: { readonly to: string; readonly children: ReactNode } & ButtonProps) {
  return (
    <Button component={Link} to={to} {...button}>
      {children}
    </Button>
  );
}

import { Button, type ButtonProps } from '@mantine/core';
import { type ReactNode, useContext } from 'react';
import { Link } from 'react-router';
import { isOwnersPath } from '../paths.js';
import { OwnerContext } from './owner-context.js';

/** A link to another page of the console that looks like a button. A viewer sees none to a page that only changes something. */
export function LinkButton({
  to,
  children,
  ...button
}: { readonly to: string; readonly children: ReactNode } & ButtonProps) {
  const isViewer = useContext(OwnerContext)?.owner.role === 'viewer';
  if (isViewer && isOwnersPath(to)) return null;
  return (
    <Button component={Link} to={to} {...button}>
      {children}
    </Button>
  );
}

import { type ComponentPropsWithoutRef, createContext, type ReactNode, useContext } from 'react';
import { Button, type ButtonProps } from '@mantine/core';
import { Link, Outlet } from 'react-router';
import type { OwnerSession } from '../api/session.js';
import { isOwnersPath } from '../paths.js';
import { Notice, PageHeader } from './page.js';

/** The session, for parts that are also used without one. */
const OwnerContext = createContext<OwnerSession | null>(null);

/** Provides the session to the pages below it. */
export const OwnerProvider = OwnerContext.Provider;

/** Returns the signed-in owner with their company. */
export function useOwner(): OwnerSession {
  const owner = useContext(OwnerContext);
  if (owner === null) throw new Error('this page requires a session');
  return owner;
}

/** Shows what only an owner can do; nothing to a viewer. */
export function OwnerOnly({ children }: { readonly children: ReactNode }) {
  return useOwner().owner.role === 'owner' ? children : null;
}

/** A button that begins a change for the company; a viewer does not see it. */
export function ActionButton(button: ButtonProps & ComponentPropsWithoutRef<'button'>) {
  return (
    <OwnerOnly>
      <Button {...button} />
    </OwnerOnly>
  );
}

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

/** Shows a page that only changes something to owners alone. */
export function OwnersPage() {
  if (useOwner().owner.role === 'owner') return <Outlet />;
  return (
    <>
      <PageHeader title="Only for owners" />
      <Notice tone="info" title="Your role is viewer">
        Ask an owner of your company to make the change.
      </Notice>
    </>
  );
}

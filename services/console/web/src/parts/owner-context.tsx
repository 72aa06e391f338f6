import { createContext, useContext } from 'react';
import type { OwnerSession } from '../api/session.js';

/** The session, for parts that are also used without one. */
export const OwnerContext = createContext<OwnerSession | null>(null);

/** Provides the session to the pages below it. */
export const OwnerProvider = OwnerContext.Provider;

/** Returns the signed-in owner with their company. */
export function useOwner(): OwnerSession {
  const owner = useContext(OwnerContext);
  if (owner === null) throw new Error('this page requires a session');
  return owner;
}

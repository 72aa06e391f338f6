import { createContext, useContext } from 'react';
import type { OwnerSession } from '../api/session.js';

const OwnerContext = createContext<OwnerSession | null>(null);

/** Gives the pages below it the session. */
export const OwnerProvider = OwnerContext.Provider;

/** Who is signed in, and for which company. */
export function useOwner(): OwnerSession {
  const owner = useContext(OwnerContext);
  if (owner === null) throw new Error('this page requires a session');
  return owner;
}

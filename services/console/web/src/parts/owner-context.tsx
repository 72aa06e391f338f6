import { createContext, useContext } from 'react';
import type { OwnerSession } from '../api/session.js';

const OwnerContext = createContext<OwnerSession | null>(null);

/** Gives the pages below it the session. */
export const OwnerProvider = OwnerContext.Provider;

/** Who is signed in, and for which company. */
export function useOwner(): OwnerSession {
  const owner = useContext(OwnerContext);
  if (owner === null) throw new Error('this page is only shown to somebody who is signed in');
  return owner;
}

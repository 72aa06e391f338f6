import type { ReactNode } from 'react';
import { useOwner } from './owner-context.js';

/** Shows what only an owner can do; nothing to a viewer. */
export function OwnerOnly({ children }: { readonly children: ReactNode }) {
  return useOwner().owner.role === 'owner' ? children : null;
}

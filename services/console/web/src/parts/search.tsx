import { useDisclosure, useHotkeys, useWindowEvent } from '@mantine/hooks';
import { lazy, Suspense } from 'react';
import type { PageEntry } from './search-dialog.js';

const SearchDialog = lazy(async () => ({ default: (await import('./search-dialog.js')).SearchDialog }));
const OPEN = 'open-search';

/** Opens the search of the page. */
export const openSearch = () => void window.dispatchEvent(new Event(OPEN));

/** The search over everything, which opens with Ctrl K. Its dialog is loaded then. */
export function Search({ pages }: { readonly pages: readonly PageEntry[] }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  useHotkeys([['mod+K', open]], []);
  useWindowEvent(OPEN, open);
  return <Suspense>{isOpen && <SearchDialog pages={pages} onClose={close} />}</Suspense>;
}

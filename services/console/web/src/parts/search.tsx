import { useEffect, useState } from 'react';
import { type PageEntry, SearchDialog } from './search-dialog.js';

const OPEN = 'open-search';

/** Opens the search of the page. */
export const openSearch = () => void window.dispatchEvent(new Event(OPEN));

/** The search over everything, which opens with Ctrl K. */
export function Search({ pages }: { readonly pages: readonly PageEntry[] }) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const open = (event: Event) => {
      if (event instanceof KeyboardEvent) {
        if (event.key !== 'k' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
      }
      setOpen(true);
    };
    window.addEventListener(OPEN, open);
    window.addEventListener('keydown', open);
    return () => {
      window.removeEventListener(OPEN, open);
      window.removeEventListener('keydown', open);
    };
  }, []);
  return isOpen && <SearchDialog pages={pages} onClose={() => setOpen(false)} />;
}

import { useEffect, useState, useSyncExternalStore } from 'react';
import { useLocation } from 'react-router';

/** Position of the reader in the list. */
interface ListPosition {
  /** Creation time of the newest delivery of a held list; undefined while the list is live. */
  readonly heldAt: string | undefined;
  /** Cursors of the pages after the newest one. */
  readonly cursors: readonly string[];
  readonly isNewestLeftOut: boolean;
}

/** Maximum number of shown pages. Earlier ones are omitted, so that a long list stays fast. */
const SHOWN_PAGES = 6;
const REMEMBERED = 20;
const TOP_PX = 80;

const NEWEST: ListPosition = { heldAt: undefined, cursors: [], isNewestLeftOut: false };

/** Positions by history entry, so that going back from a delivery restores the position. */
const remembered = new Map<string, ListPosition>();

/** Returns the position in the list, which is restored on going back. */
export function useListPosition(): readonly [ListPosition, (place: ListPosition) => void] {
  const { key } = useLocation();
  const [place, setPlace] = useState(() => remembered.get(key) ?? NEWEST);
  useEffect(() => {
    remembered.delete(key);
    remembered.set(key, place);
    const [oldest] = remembered.keys();
    if (remembered.size > REMEMBERED && oldest !== undefined) remembered.delete(oldest);
  }, [key, place]);
  return [place, setPlace];
}

/** Returns the position with one more page. */
export function withPage(place: ListPosition, cursor: string): ListPosition {
  const cursors = [...place.cursors, cursor];
  const tooMany = cursors.length + (place.isNewestLeftOut ? 0 : 1) > SHOWN_PAGES;
  return {
    ...place,
    cursors: tooMany ? cursors.slice(-SHOWN_PAGES) : cursors,
    isNewestLeftOut: place.isNewestLeftOut || tooMany,
  };
}

/** Returns the position of a live list. */
export function atNewest(): ListPosition {
  return NEWEST;
}

/** Whether the page is scrolled to its top. */
export function useIsAtTop(): boolean {
  return useSyncExternalStore(listenToScroll, () => window.scrollY < TOP_PX);
}

function listenToScroll(listen: () => void): () => void {
  window.addEventListener('scroll', listen, { passive: true });
  return () => window.removeEventListener('scroll', listen);
}

import { useEffect, useState, useSyncExternalStore } from 'react';
import { useLocation } from 'react-router';

/** Which part of the list someone looks at. */
export interface ListPosition {
  /** When the newest delivery was created that the list stands still at; undefined while it follows the newest. */
  readonly heldAt: string | undefined;
  /** Where the pages after the newest one begin. */
  readonly cursors: readonly string[];
  readonly isNewestLeftOut: boolean;
}

/** Pages that are shown at once; those before are left out, so that the page stays light however far one goes. */
const SHOWN_PAGES = 6;
const REMEMBERED = 20;
const TOP_PX = 80;

const NEWEST: ListPosition = { heldAt: undefined, cursors: [], isNewestLeftOut: false };

/** By the key of the history entry, so that the way back from a delivery leads to the same place. */
const remembered = new Map<string, ListPosition>();

/** The place in the list, which is found again on the way back. */
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

/** The place with one more page. */
export function withPage(place: ListPosition, cursor: string): ListPosition {
  const cursors = [...place.cursors, cursor];
  const tooMany = cursors.length + (place.isNewestLeftOut ? 0 : 1) > SHOWN_PAGES;
  return {
    ...place,
    cursors: tooMany ? cursors.slice(-SHOWN_PAGES) : cursors,
    isNewestLeftOut: place.isNewestLeftOut || tooMany,
  };
}

/** The place that follows the newest deliveries. */
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

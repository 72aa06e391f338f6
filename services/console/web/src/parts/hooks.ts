import { replaceEqualDeep } from '@tanstack/react-query';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';

/** Whether the window matches a media query. */
export function useMediaQuery(query: string): boolean {
  const [list] = useState(() => window.matchMedia(query));
  return useSyncExternalStore(
    (listen) => {
      list.addEventListener('change', listen);
      return () => list.removeEventListener('change', listen);
    },
    () => list.matches,
  );
}

/** Calls what belongs to a key, unless someone types. */
export function useKeys(actions: Readonly<Record<string, () => void>>): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    const listen = ({ target, key, ctrlKey, metaKey, altKey }: KeyboardEvent) => {
      const isTyping = target instanceof Element && target.closest('input, select, textarea') !== null;
      if (!isTyping && !ctrlKey && !metaKey && !altKey) latest.current[key]?.();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}

/** Returns the value once it has not changed for a while. */
export function useDebounced<Value>(value: Value, ms: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

const ACTIVITY = ['keydown', 'pointerdown', 'pointermove', 'scroll', 'visibilitychange'] as const;

/** Whether the page is visible, and someone was active in it in the last time. */
export function useIsWatched(idleMs: number): boolean {
  const [isWatched, setWatched] = useState(true);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const note = () => {
      clearTimeout(timer);
      setWatched(document.visibilityState === 'visible');
      timer = setTimeout(() => setWatched(false), idleMs);
    };
    note();
    for (const type of ACTIVITY) document.addEventListener(type, note, { passive: true });
    return () => {
      clearTimeout(timer);
      for (const type of ACTIVITY) document.removeEventListener(type, note);
    };
  }, [idleMs]);
  return isWatched;
}

/** Returns the value of before as long as the new one holds the same, for what compares by identity. */
export function useSame<Value>(value: Value): Value {
  const last = useRef(value);
  last.current = replaceEqualDeep(last.current, value);
  return last.current;
}

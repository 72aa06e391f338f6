import { canonicalText } from './canonical-text.js';

/** What is there and not expected, and the other way round, each as often as it is too much. */
export function differences(what: string, expected: readonly unknown[], found: readonly unknown[]): string[] {
  const counts = new Map<string, number>();
  for (const value of found) counts.set(canonicalText(value), (counts.get(canonicalText(value)) ?? 0) + 1);
  for (const value of expected) counts.set(canonicalText(value), (counts.get(canonicalText(value)) ?? 0) - 1);
  return [...counts].flatMap(([value, count]) => {
    if (count > 0) return [`${what}: ${count} times too often: ${value}`];
    return count < 0 ? [`${what}: ${-count} times missing: ${value}`] : [];
  });
}

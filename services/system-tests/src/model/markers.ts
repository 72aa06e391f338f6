import { randomBytes } from 'node:crypto';
import { fractionOf, SEED } from '@partner/test-kit/seeded-random';

/** Who may see a text or id that stands in somebody's data. */
export type Visibility =
  /** The company and nobody else. */
  | { readonly to: 'company'; readonly companyId: string }
  /** Whoever sees the job: its installer, and the seller's keys that are bound to that installer. */
  | { readonly to: 'viewers of job'; readonly jobId: string }
  /** The company, and the installers that have or had a job of it. */
  | { readonly to: 'company and its installers'; readonly companyId: string };

/**
 * Texts that stand in the data of a run: markers, each of which some may see, and canaries, which nobody may. Each is there
 * nowhere else, so that finding one tells where it comes from.
 */
export interface Markers {
  /** Makes a marker. */
  mark(visibility: Visibility): string;
  /** Registers an id that the service or the test has made. */
  register(id: string, visibility: Visibility): void;
  /** Makes a text that no partner may see and no log may hold. */
  canary(): string;
  /** Makes a number that no partner may see and no log may hold. */
  canaryNumber(): number;
  /** Registers a secret or an address that no partner may see and no log may hold. */
  secret(text: string): string;
  /** The markers and registered ids in a text, with who may see them. */
  findMarked(text: string): readonly { readonly text: string; readonly visibility: Visibility }[];
  /** The canaries and secrets in a text. */
  findSecrets(text: string): readonly string[];
  /** The markers in a text, whoever may see them. */
  findMarkers(text: string): readonly string[];
}

const MARKER = /mk-[0-9a-f]{16}/g;
const CANARY = /canary[0-9a-f]{16}|7\d{8}\.25/g;
const ID = /(?:job|mem|cmp|lead|prj|appt|doc)_[0-7][0-9a-hjkmnp-tv-z]{25}/g;

/** Makes an empty registry. */
export function createMarkers(): Markers {
  const known = new Map<string, Visibility>();
  const canaries = new Set<string>();
  const secrets = new Set<string>();
  return {
    mark(visibility) {
      const text = `mk-${randomBytes(8).toString('hex')}`;
      known.set(text, visibility);
      return text;
    },
    register(id, visibility) {
      known.set(id, visibility);
    },
    canary() {
      const text = `canary${randomBytes(8).toString('hex')}`;
      canaries.add(text);
      return text;
    },
    canaryNumber() {
      const value = 700_000_000 + Math.floor(fractionOf(SEED, 'canary', canaries.size) * 99_999_999) + 0.25;
      canaries.add(String(value));
      return value;
    },
    secret(text) {
      secrets.add(text);
      return text;
    },
    findMarked(text) {
      const found = new Set([...text.matchAll(MARKER), ...text.matchAll(ID)].map(([match]) => match));
      return [...found].flatMap((match) => {
        const visibility = known.get(match);
        return visibility === undefined ? [] : [{ text: match, visibility }];
      });
    },
    findSecrets: (text) => [
      ...[...text.matchAll(CANARY)].map(([match]) => match).filter((match) => canaries.has(match)),
      ...[...secrets].filter((secret) => text.includes(secret)),
    ],
    findMarkers: (text) => [...new Set([...text.matchAll(MARKER)].map(([match]) => match))],
  };
}

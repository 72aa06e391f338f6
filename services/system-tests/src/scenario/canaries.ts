import { randomBytes } from 'node:crypto';
import { fractionOf, SEED } from '@partner/test-kit/seeded-random';

/** Something that came out of a process, or went into one. */
export interface Piece {
  /** Where it came out, in the words that canaries say where they may be. */
  readonly place: string;
  /** What exactly it is, for the message of a failure. */
  readonly what: string;
  readonly text: string;
}

/** A text that only one field of one company contains, so a finding names its origin. */
export interface Canary {
  readonly what: string;
  readonly text: string;
  /** The places where it may be and must be found, which shows that the search finds it. */
  readonly places: readonly string[];
}

/** Places whose content a test itself has written: nothing leaks there. */
export const SOURCES = ['requests', 'messages of the platform', 'responses of receivers'] as const;

export interface Canaries {
  readonly all: readonly Canary[];
  /** Makes a word that may be found in certain places. */
  word(what: string, ...places: readonly string[]): string;
  /** Makes a code of capital letters and one digit. */
  code(what: string, ...places: readonly string[]): string;
  /** Makes a whole number of nine digits. */
  amount(what: string, ...places: readonly string[]): number;
  /** Takes a text that the service has made, or that was there before. */
  known(what: string, text: string, ...places: readonly string[]): string;
}

export function createCanaries(): Canaries {
  const all: Canary[] = [];
  const known: Canaries['known'] = (what, text, ...places) => {
    all.push({ what, text, places });
    return text;
  };
  return {
    all,
    known,
    word: (what, ...places) => known(what, `cn${randomBytes(8).toString('hex')}`, ...places),
    code(what, ...places) {
      const letters = Array.from(randomBytes(16), (byte) => String.fromCharCode(65 + (byte % 26)));
      return known(what, `CN7${letters.join('')}`, ...places);
    },
    amount(what, ...places) {
      const amount = 700_000_000 + Math.floor(fractionOf(SEED, 'amount', all.length) * 99_999_999);
      known(what, String(amount), ...places);
      return amount;
    },
  };
}

/** What was found wrong: canaries where they may not be, and canaries that were not found where they have to be. */
export interface Findings {
  readonly leaks: readonly string[];
  readonly unseen: readonly string[];
}

/**
 * Searches every piece for every canary: as it is, in any case of letters, as base64 at any offset, as hexadecimal digits, and
 * for an amount also with a decimal point. A secret is never shown in full.
 */
export function findCanaries(canaries: readonly Canary[], pieces: readonly Piece[]): Findings {
  const byPlace = new Map<string, Piece[]>();
  for (const piece of pieces) {
    const ofPlace = byPlace.get(piece.place) ?? [];
    ofPlace.push(piece);
    byPlace.set(piece.place, ofPlace);
  }
  const leaks: string[] = [];
  const unseen: string[] = [];
  const texts = new Map(
    [...byPlace].map(([place, ofPlace]) => [
      place,
      ofPlace.map(({ text }) => text.toLowerCase()).join('\n\u0001\n'),
    ]),
  );
  for (const { what, text, places } of canaries) {
    const forms = formsOf(text);
    for (const [place, whole] of texts) {
      if (SOURCES.some((source) => source === place) || places.includes(place)) continue;
      if (!forms.some((form) => holds(whole, form))) continue;
      const found = (byPlace.get(place) ?? []).filter((piece) =>
        forms.some((form) => holds(piece.text.toLowerCase(), form)),
      );
      leaks.push(
        ...found
          .slice(0, 3)
          .map((piece) => `${what} in ${place}: ${piece.what}: ${around(piece.text, forms)}`),
      );
    }
    for (const place of places) {
      const whole = texts.get(place) ?? '';
      if (!forms.some((form) => holds(whole, form))) unseen.push(`${what} in ${place}`);
    }
  }
  return { leaks, unseen };
}

function formsOf(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  // Of base64 the digits that depend on the text alone, wherever it begins in a group of three bytes.
  const base64 = [0, 1, 2].map((offset) =>
    Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .slice(offset === 0 ? 0 : 4, -4),
  );
  const decimal = /^\d{9}$/.test(text) ? [`${text.slice(0, -2)}.${text.slice(-2)}`] : [];
  return [text, ...decimal, ...base64.filter((form) => form.length >= 8), bytes.toString('hex')].map((form) =>
    form.toLowerCase(),
  );
}

/** An amount is found only as a whole number, not in the middle of a longer one. */
function holds(text: string, form: string): boolean {
  if (!/^\d/.test(form) || !/^[\d.]+$/.test(form)) return text.includes(form);
  for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) {
    if (!/\d/.test(text.charAt(at - 1)) && !/\d/.test(text.charAt(at + form.length))) return true;
  }
  return false;
}

function around(text: string, forms: readonly string[]): string {
  const lower = text.toLowerCase();
  const form = forms.find((candidate) => holds(lower, candidate)) ?? '';
  const at = lower.indexOf(form);
  return `…${text.slice(Math.max(0, at - 160), at + 4)}[…]${text.slice(at + form.length, at + form.length + 60)}…`;
}

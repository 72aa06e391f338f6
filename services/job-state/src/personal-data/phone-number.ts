import { findPhoneNumbersInText, parsePhoneNumberFromString } from 'libphonenumber-js';

/** One meaning that a phone number can have. */
interface Reading {
  /** Calling code, only if the text states it. */
  readonly country: string | undefined;
  /** Digits without calling code, prefixes and extension. */
  readonly number: string;
  readonly extension: string | undefined;
}

/** A phone number in any notation, with what it can mean. */
export interface PhoneNumber {
  readonly text: string;
  readonly readings: readonly Reading[];
}

/** Where numbers without a calling code are from. */
const HOME = 'US';
const MIN_DIGITS = 7;
const KEYPAD = ['abc', 'def', 'ghi', 'jkl', 'mno', 'pqrs', 'tuv', 'wxyz'];
/** At the end of a number; the library knows more, but no letters before it. */
const EXTENSION = /[\s;,]*(?:e?xt(?:ensio)?n?|x|#)[\s.:=]*(\d{1,8})\s*#?$/i;
/** Between two numbers in one text. */
const SEPARATOR = /[/,;|&\n]|\b(?:or|and)\b/i;
const BEFORE_NUMBER = /^[^+\d]*/;
const INTERNATIONAL = /^(?:\+|(?:011|00)(?=[^\d]*[1-9]))/;
/** A number of North America, and digits behind it without a sign between them. */
const WITH_MORE_DIGITS = /^1?([2-9]\d{2}[2-9]\d{6})(\d{0,8})$/;
const LAST_GROUP = /^(.*\d)\D+(\d{1,8})\D*$/;
/** Letters that are typed in place of 0 and 1, unless they are of a word. */
const LIKE_DIGITS = /(?<![a-z])[oil]+(?![a-z])/gi;

/**
 * Reads a phone number in any notation that people write: digits of any script, letters of a keypad or in place of digits, prefixes,
 * calling code and extension, several numbers in one text. It rather has a meaning too many than one too few. Without readings it is not a phone number.
 */
export function readPhoneNumber(text: string): PhoneNumber {
  const cleaned = plain(text);
  const texts = [cleaned, ...cleaned.split(SEPARATOR)].flatMap(spellings);
  const readings = [...[...new Set(texts)].flatMap(readingsOf), ...foundIn(cleaned)];
  return { text: cleaned, readings: readings.filter(({ number }) => number.length >= MIN_DIGITS) };
}

/** Digits that each notation of the number holds, in a row, once all other characters are removed. */
export function digitsInAnyNotation({ readings }: PhoneNumber): readonly string[] {
  return [...new Set(readings.map(({ number }) => number.slice(-MIN_DIGITS)))];
}

/**
 * Returns whether a text is a notation of a number. Two calling codes or two extensions that differ make two numbers; one that is
 * missing does not.
 */
export function isNotationOf(wanted: PhoneNumber, text: string): boolean {
  const cleaned = plain(text);
  const digits = spellings(cleaned).map(digitsOf);
  if (!digitsInAnyNotation(wanted).some((tail) => digits.some((each) => each.includes(tail)))) return false;
  const stored = readPhoneNumber(text);
  return (
    wanted.readings.some((one) => stored.readings.some((other) => areSame(one, other))) ||
    wanted.readings.some((one) => isLocal(one, stored)) ||
    stored.readings.some((one) => isLocal(one, wanted))
  );
}

function areSame(one: Reading, other: Reading): boolean {
  return (
    one.number === other.number &&
    isCompatible(one.country, other.country) &&
    isCompatible(one.extension, other.extension)
  );
}

function isCompatible(one: string | undefined, other: string | undefined): boolean {
  return one === undefined || other === undefined || one === other;
}

/** Returns whether a text is a number as people of its country write it, for example with the trunk prefix 0 or 8. */
function isLocal(reading: Reading, { text }: PhoneNumber): boolean {
  if (reading.country === undefined || isInternational(text)) return false;
  const parsed = parsePhoneNumberFromString(text, { defaultCallingCode: reading.country });
  return (
    parsed !== undefined &&
    areSame(reading, { country: undefined, number: parsed.nationalNumber, extension: parsed.ext })
  );
}

function isInternational(text: string): boolean {
  return INTERNATIONAL.test(text.replace(BEFORE_NUMBER, ''));
}

/** Returns the numbers that stand among other words and digits, or beside each other. */
function foundIn(text: string): readonly Reading[] {
  return findPhoneNumbersInText(text, HOME).map(({ startsAt, number }) => ({
    country: isInternational(text.slice(startsAt)) ? number.countryCallingCode : undefined,
    number: number.nationalNumber,
    extension: number.ext,
  }));
}

function readingsOf(text: string): readonly Reading[] {
  const statesCountry = isInternational(text);
  const start = text.replace(BEFORE_NUMBER, '');
  const parsed = parsePhoneNumberFromString(start.replace(INTERNATIONAL, '+'), HOME);
  const extension = parsed?.ext ?? EXTENSION.exec(text)?.[1];
  const all = digitsOf(text);
  const main = extension === undefined ? all : digitsOf(text.slice(0, text.lastIndexOf(extension)));
  const ofLibrary =
    parsed === undefined
      ? []
      : [
          {
            country: statesCountry ? parsed.countryCallingCode : undefined,
            number: parsed.nationalNumber,
            extension,
          },
        ];
  if (statesCountry && parsed?.isPossible() === true) return ofLibrary;
  const [, shorter, last] = LAST_GROUP.exec(text) ?? [];
  if (statesCountry && ofLibrary.length > 0 && shorter !== undefined) {
    const withLast = readingsOf(shorter).map((one) => ({ ...one, extension: one.extension ?? last }));
    return [...ofLibrary, ...withLast];
  }
  const withCode = statesCountry ? undefined : parsePhoneNumberFromString(`+${main}`);
  return [
    ...ofLibrary,
    { country: undefined, number: main.replace(/^0+|^1(?=\d{7}(?:\d{3})?$)/, ''), extension },
    { country: undefined, number: all.replace(/^1(?=\d{10}$)/, ''), extension: undefined },
    ...(withCode?.isValid() === true
      ? [{ country: withCode.countryCallingCode, number: withCode.nationalNumber, extension }]
      : []),
    ...inGroups(extension === undefined ? text : text.slice(0, text.lastIndexOf(extension)), extension),
  ];
}

/** Returns the numbers of North America that begin with a group of digits, whatever stands before it. */
function inGroups(text: string, extension: string | undefined): readonly Reading[] {
  const groups = text.match(/\d+/g) ?? [];
  return groups.flatMap((_, index) => {
    const [, number, more] = WITH_MORE_DIGITS.exec(groups.slice(index).join('')) ?? [];
    return number === undefined
      ? []
      : [{ country: undefined, number, extension: extension ?? (more || undefined) }];
  });
}

/** Returns a text with ASCII digits, hyphens and spaces, and without what shows nothing. */
function plain(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/[\p{Cf}\p{Default_Ignorable_Code_Point}\p{M}]/gu, '')
    .replaceAll(/\p{Nd}/gu, (digit) => String(valueOf(digit)))
    .replaceAll(/[\p{Pd}\u2212]/gu, '-')
    .replaceAll(/[\p{Z}\s]+/gu, ' ')
    .trim();
}

/** The digits of a script follow one another from its zero. */
function valueOf(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1;
  return value;
}

/** Returns a text as it is, with the digits of its letters on a keypad, and with the digits that letters look like. */
function spellings(text: string): readonly string[] {
  const typed = text.replaceAll(LIKE_DIGITS, (letters) =>
    letters.replaceAll(/o/gi, '0').replaceAll(/[il]/gi, '1'),
  );
  return [text, fromKeypad(text), typed];
}

/** Returns a text with the digits of its letters on a keypad; the sign of an extension stays. */
function fromKeypad(text: string): string {
  const [extension = ''] = EXTENSION.exec(text) ?? [];
  const main = text.slice(0, text.length - extension.length);
  const digits = main.replaceAll(/[a-z]/gi, (letter) => {
    return String(2 + KEYPAD.findIndex((letters) => letters.includes(letter.toLowerCase())));
  });
  return digits + extension;
}

function digitsOf(text: string): string {
  return text.replaceAll(/\D/g, '');
}

/** Marks a comma or an end of line between words: no two words are joined across it. */
export const BOUNDARY = ',';

/** Marks `c/o`, `care of` and `attn`: a person's name follows. */
export const CARE_OF = 'CAREOF';

/** Latin letters that Unicode does not decompose and that people write without their stroke. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  Æ: 'AE',
  Œ: 'OE',
  Ø: 'O',
  Ł: 'L',
  Đ: 'D',
  Ð: 'D',
  Þ: 'TH',
  Ħ: 'H',
  Ŧ: 'T',
};

/**
 * Returns the words of a text in upper case.
 *
 * Words are letters and digits, figures joined by a hyphen (`112-10`) or a slash (`1/2`), the number sign, and boundaries. It
 * folds Unicode compatibility forms, accents of Latin letters, invisible letters and signs, case, spaces and all other
 * punctuation. It takes time linear in the length of the text.
 */
export function normaliseText(text: string): string[] {
  return (
    text
      .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '')
      // NFKC would decompose these two into a space and a combining accent, and join a fraction or power to the number before
      // it.
      .replace(/[´ˊ]/g, "'")
      .replace(/(\p{N})(?=\p{No})/gu, '$1 ')
      .normalize('NFKD')
      .replace(/(\p{L}?)(\p{M}+)/gu, (marked: string, letter: string) =>
        letter === '' || /\p{Script=Latin}/u.test(letter) ? letter : marked,
      )
      .normalize('NFKC')
      .toUpperCase()
      .normalize('NFKC')
      .replace(/[ÆŒØŁĐÐÞĦŦ]/g, (letter) => PLAIN_LETTERS[letter] ?? letter)
      .replace(/[\p{Pd}\u2212]/gu, '-')
      .replace(/\u2044/g, '/')
      .replace(/(?<!\p{L})([DO])['‘’‛ʼʻ′`] (?=\p{L})/gu, '$1')
      .replace(/['‘’‛ʼʻʽʾʿʹˈ′‵`]/g, '')
      .replace(/(?<!\p{L})C\/O(?!\p{L})|(?<!\p{L})CARE +OF(?!\p{L})|%(?=\s*\p{L})/gu, ` ${CARE_OF} `)
      .replace(/(?<!\p{L})ATTN(?!\p{L})/gu, ` ${CARE_OF} `)
      .replace(/&/g, ' AND ')
      .replace(/#/g, ' # ')
      // Initials are one word, with or without dots: N.E. and NE.
      .replace(/(?<!\p{L})(\p{L})\.(?=\p{L}(?!\p{L}))/gu, '$1')
      // 12-A is 12A, and B-4 is B4. Not N-5th, where the letter is a directional.
      .replace(/(\d)-(\p{L})(?![\p{L}\p{N}])/gu, '$1$2')
      .replace(/(?<![\p{L}\p{N}])(\p{L})-(?=\d+(?![\d\p{L}]))/gu, '$1')
      .replace(/(\d) *\/ *(?=\d)/g, '$1/')
      .replace(/-(?=\d+(?:ST|ND|RD|TH)(?!\p{L}))/gu, ' ')
      .replace(/[,;،、|•\n\v\f\r\u0085\u2028\u2029]/g, ` ${BOUNDARY} `)
      .replace(/[^\p{L}\p{M}\p{N}#/,-]|\/(?!\d)|(?<!\d)\/|-(?!\d)|(?<!\d)-/gu, ' ')
      .split(' ')
      .filter((word) => word !== '')
      .filter((word, index, words) => word !== BOUNDARY || words[index - 1] !== BOUNDARY)
  );
}

/** Removes boundaries at the start and the end. */
export function trimBoundaries(words: readonly string[]): readonly string[] {
  const first = words.findIndex((word) => word !== BOUNDARY);
  const last = words.findLastIndex((word) => word !== BOUNDARY);
  return first === -1 ? [] : words.slice(first, last + 1);
}

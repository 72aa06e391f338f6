/** Marks a comma or an end of line between words. */
export const BOUNDARY = ',';

/**
 * Returns the words of a text in upper case, in time linear in its length.
 *
 * Words are letters and digits, figures joined by a hyphen (`112-10`) or a slash (`1/2`), the number sign, and boundaries. It
 * folds Unicode compatibility forms, accents of Latin letters, invisible letters and signs, case, spaces and all other
 * punctuation.
 */
export function foldText(text: string): string[] {
  return (
    text
      .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '')
      // NFKC would decompose these two into a space and an accent, and join a fraction or power to the number before it.
      .replace(/[´ˊ]/g, "'")
      .replace(/(\p{N})(?=\p{No})/gu, '$1 ')
      .normalize('NFKD')
      .replace(/(\p{L}?)(\p{M}+)/gu, (marked: string, letter: string) =>
        letter === '' || /\p{Script=Latin}/u.test(letter) ? letter : marked,
      )
      .normalize('NFKC')
      .toUpperCase()
      .normalize('NFKC')
      .replace(/[\p{Pd}\u2212]/gu, '-')
      .replace(/\u2044/g, '/')
      .replace(/['‘’‛ʼʻʽʾʿʹˈ′‵`]/g, '')
      .replace(/&/g, ' AND ')
      .replace(/#/g, ' # ')
      // Initials are one word, with or without dots: N.E. and NE.
      .replace(/(?<!\p{L})(\p{L})\. ?(?=\p{L}\.)|(?<!\p{L})(\p{L})\.(?=\p{L}(?!\p{L}))/gu, '$1$2')
      // 12-A is 12A, and B-4 is B4. Not N-5th, where the letter is a directional.
      .replace(/(\d)-(\p{L})(?![\p{L}\p{N}])/gu, '$1$2')
      .replace(/(?<![\p{L}\p{N}])(\p{L})-(?=\d+(?![\d\p{L}]))/gu, '$1')
      .replace(/[,;،、|•\n\v\f\r\u0085\u2028\u2029]/g, ` ${BOUNDARY} `)
      .replace(/[^\p{L}\p{M}\p{N}#/,-]|\/(?!\d)|(?<!\d)\/|-(?!\d)|(?<!\d)-/gu, ' ')
      .split(' ')
      .filter((word) => word !== '')
      .filter((word, index, words) => word !== BOUNDARY || words[index - 1] !== BOUNDARY)
  );
}

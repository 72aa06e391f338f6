import { z } from 'zod';

/**
 * What shows nothing: white space, control and format characters, what Unicode says to ignore where it cannot be displayed (joiners,
 * fillers, variation selectors), and the blank letters and signs that it does not list there.
 */
const INVISIBLE =
  /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800\u{16fe4}\u{13441}\u{13442}\u{1d159}]*$/u;

/** Returns whether a text shows nothing to a reader. A name with joiners is not blank, since it has other characters. */
export function isBlank(text: string): boolean {
  return INVISIBLE.test(text);
}

/**
 * A text with a length limit in Unicode code points, as JSON Schema counts, so that an emoji counts once. With a
 * minimum, it must not be blank (decision HTTP-11). The pattern in the API description only excludes white space: not every generator of
 * clients knows the properties of Unicode.
 */
export function boundedText({ min = 0, max }: { readonly min?: number; readonly max: number }) {
  return z
    .string()
    .superRefine((text, context) => {
      const length = characters(text);
      if (length < min) {
        const message = min === 1 ? 'must not be empty' : `must be at least ${min} characters`;
        context.addIssue({ code: 'custom', message });
      } else if (min > 0 && isBlank(text)) {
        context.addIssue({ code: 'custom', message: BLANK });
      }
      if (length > max) context.addIssue({ code: 'custom', message: `must be at most ${max} characters` });
    })
    .meta({ ...(min === 0 ? {} : { minLength: min, pattern: '\\S' }), maxLength: max });
}

const BLANK = 'must not be white space or invisible characters alone';

function characters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

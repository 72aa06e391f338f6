import { z } from 'zod';

/**
 * A text with a length limit in Unicode code points, as JSON Schema counts, so that an emoji counts once. With a
 * minimum, it must not be only white space.
 */
export function boundedText({ min = 0, max }: { readonly min?: number; readonly max: number }) {
  return z
    .string()
    .superRefine((text, context) => {
      const length = characters(text);
      if (length < min) {
        const message = min === 1 ? 'must not be empty' : `must be at least ${min} characters`;
        context.addIssue({ code: 'custom', message });
      } else if (min > 0 && !/\S/.test(text)) {
        context.addIssue({ code: 'custom', message: 'must not be white space alone' });
      }
      if (length > max) context.addIssue({ code: 'custom', message: `must be at most ${max} characters` });
    })
    .meta({ ...(min === 0 ? {} : { minLength: min, pattern: '\\S' }), maxLength: max });
}

function characters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

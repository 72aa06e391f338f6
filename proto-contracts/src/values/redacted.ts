import { z } from 'zod';

/** What stands for a personal text after its erasure, where the text is required. */
export const ERASED_TEXT = '[erased]';

/** Marks data whose personal texts were erased. Absent: nothing was. */
export const redacted = z
  .boolean()
  .optional()
  .meta({
    description: `True: personal data was erased from it on request. Names, phone and address are \`${ERASED_TEXT}\`, notes are null. Absent otherwise.`,
  });

import type { z } from 'zod';
import type { technicalContact } from './technical-contact.js';

export const CONTACT_EXAMPLE = {
  email: 'api@sunny.example',
  confirmedAt: '2026-08-27T09:12:44.108Z',
  pending: null,
} as const satisfies z.input<typeof technicalContact>;

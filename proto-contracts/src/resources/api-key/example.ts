import type { z } from 'zod';
import { KEY_KINDS } from '../../api/scopes.js';
import { BOUND_COMPANY } from '../installer/example.js';
import type { apiKey } from './api-key.js';

export const KEY_EXAMPLE = {
  id: 'key_01k3hc2m5vf8qs1z7x4rw9tnbe',
  kind: 'installer-contractor',
  scopes: [...KEY_KINDS['installer-contractor'].scopes],
  description: 'Order desk',
  lastFour: '7Kq2',
  boundCompany: BOUND_COMPANY,
  createdAt: '2026-08-26T14:03:00.000Z',
  lastUsedAt: '2026-09-02T09:15:40.118Z',
  expiresAt: null,
  revokedAt: null,
  state: 'active',
  replacedBy: null,
} as const satisfies z.input<typeof apiKey>;

export const NEW_KEY_EXAMPLE = {
  ...KEY_EXAMPLE,
  id: 'key_01k3zd7w6ne3zr1v8xk5c2m4qa',
  lastFour: 'x0Zc',
  createdAt: '2026-09-03T13:02:44.108Z',
  lastUsedAt: null,
} as const satisfies z.input<typeof apiKey>;

export const KEY_TEXT_EXAMPLE = `${NEW_KEY_EXAMPLE.id}.svc_live_2mJ0Zs7cQk4rXw1nVb8yTd5fHg3pLa6e1aBx0Zc`;

import { z } from 'zod';
import { type KeyKindName, KEY_KINDS } from '../../api/scopes.js';
import type { CompanyClassName } from '../../values/company-class.js';
import { boundedText } from '../../values/bounded-text.js';
import { dateTimeOut } from '../../values/date-time.js';
import { olderCursor } from '../../values/page.js';
import { installerCompany, BOUND_COMPANY } from '../installer/installer.js';

export const KEY_LIMITS = {
  /** Maximum keys that are neither revoked nor expired. */
  keysInForce: 20,
  descriptionLength: 120,
  /** How long a replaced key can stay valid, in hours. */
  overlapHours: { default: 24, max: 168 },
  /** How long a key of kind `automation` is valid at most, and by default. */
  automationDays: 90,
  networks: 20,
  /** How long before its end a key is expiring. */
  expiringDays: 7,
} as const;

export const KEY_KINDS_OF_CLASS: Readonly<Record<CompanyClassName, readonly KeyKindName[]>> = {
  SALES: ['general', 'installer-contractor', 'automation'],
  INSTALLER: ['installer-company', 'automation'],
  ACCOUNTING: ['automation'],
};

const KEY_STATES = ['active', 'expiring', 'expired', 'revoked'] as const;

const KEY_KIND_NAMES = ['general', 'installer-contractor', 'installer-company', 'automation'] as const;

export const keyKind = z.enum(KEY_KIND_NAMES);

const NETWORK =
  'must be in CIDR notation, such as 203.0.113.0/24, 2001:db8::/48, or 203.0.113.9/32 for one address';

export const apiKeyIn = z
  .object({
    kind: keyKind.meta({
      description:
        'A company that sells can have `general` and `installer-contractor` keys, one that installs `installer-company` keys, every company `automation` keys.',
    }),
    boundCompanyId: z.string().min(1).max(100).optional().meta({
      description:
        'Only for an `installer-contractor` key: the installer company whose jobs it shows. One of `GET /partner-api/installers`.',
    }),
    description: boundedText({ max: KEY_LIMITS.descriptionLength })
      .optional()
      .meta({ description: 'For your own use.' }),
    expiresInDays: z
      .int()
      .min(1)
      .max(KEY_LIMITS.automationDays)
      .optional()
      .meta({
        description: `Only for an \`automation\` key: in how many days it ends; ${KEY_LIMITS.automationDays} by default.`,
      }),
    networks: z
      .array(z.union([z.cidrv4(), z.cidrv6()], NETWORK))
      .min(1)
      .max(KEY_LIMITS.networks)
      .optional()
      .meta({
        description:
          'Only for an `automation` key: the networks in CIDR notation from which it may be used. Without them it may be used from anywhere.',
      }),
  })
  .superRefine(({ kind, boundCompanyId, expiresInDays, networks }, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (kind === 'installer-contractor' && boundCompanyId === undefined) {
      refuse('boundCompanyId', 'is required for a key of kind installer-contractor');
    }
    const others = {
      ...(kind !== 'installer-contractor' && { boundCompanyId }),
      ...(kind !== 'automation' && { expiresInDays, networks }),
    };
    for (const [path, value] of Object.entries(others)) {
      if (value !== undefined) refuse(path, 'must be omitted for a key of this kind');
    }
  })
  .meta({ id: 'ApiKeyIn', description: 'An API key as you create it.' });

export const apiKeyRotationIn = z
  .object({
    overlapHours: z
      .int()
      .min(0)
      .max(KEY_LIMITS.overlapHours.max)
      .optional()
      .meta({
        description: `How many hours the replaced key stays valid; ${KEY_LIMITS.overlapHours.default} by default. 0: it expires immediately.`,
      }),
  })
  .meta({ id: 'ApiKeyRotationIn', description: 'How to replace an API key.' })
  .optional();

/** Visible to the owners of the company. To every other company it is 404. The key itself is shown once, at its creation. */
export const apiKey = z
  .object({
    id: z.string().meta({ description: 'The part of the key before the dot.' }),
    kind: keyKind.meta({ description: 'Fixes its surface and scopes.' }),
    scopes: z.array(z.string()).meta({ description: 'Its permissions; fixed by its kind.' }),
    description: z.string().nullable().meta({ description: 'For your own use.' }),
    lastFour: z.string().meta({ description: 'The last four characters of the key.' }),
    boundCompany: installerCompany
      .nullable()
      .meta({ description: 'The installer company that an `installer-contractor` key is bound to.' }),
    createdAt: dateTimeOut,
    lastUsedAt: dateTimeOut
      .nullable()
      .meta({ description: 'Last use, to about a minute; null if it was never used.' }),
    expiresAt: dateTimeOut.nullable().meta({ description: 'When it expires; null if it does not.' }),
    networks: z.array(z.string()).optional().meta({
      description: 'The networks from which it may be used; absent: from anywhere.',
    }),
    revokedAt: dateTimeOut.nullable(),
    state: z.enum(KEY_STATES).meta({
      description: `\`active\` and \`expiring\` keys are accepted until \`expiresAt\`. A key is \`expiring\` once it was replaced, and in its last ${KEY_LIMITS.expiringDays} days.`,
    }),
    replacedBy: z.string().nullable().meta({ description: 'The key that replaced it.' }),
  })
  .meta({ id: 'ApiKey', description: 'An API key as its owner sees it.' });

export type ApiKey = z.infer<typeof apiKey>;

const keyText = z.string().meta({
  description: 'The key, the value of `x-api-key`. Store it: it cannot be shown again.',
});

export const apiKeyCreated = z
  .object({ key: apiKey, apiKey: keyText })
  .meta({ id: 'ApiKeyCreated', description: 'A new API key.' });

export type ApiKeyCreated = z.infer<typeof apiKeyCreated>;

export const apiKeyRotated = z
  .object({
    key: apiKey,
    apiKey: keyText,
    previous: apiKey,
  })
  .meta({ id: 'ApiKeyRotated', description: 'A new API key, and the one that it replaces.' });

export type ApiKeyRotated = z.infer<typeof apiKeyRotated>;

export const apiKeyPage = z
  .object({
    keys: z.array(apiKey).meta({ description: 'Newest first.' }),
    nextCursor: olderCursor,
  })
  .meta({ id: 'ApiKeys', description: 'A page of API keys, newest first.' });

export type ApiKeyPage = z.infer<typeof apiKeyPage>;

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

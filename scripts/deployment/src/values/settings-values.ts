import { z } from 'zod';
import type { ServiceName } from '@partner/local-stack/stack/services';
import { type Setting, settingsOf } from './declared-settings.js';
import type { ValueSchema } from './value-schema.js';
import * as types from './value-types.js';

const SET_BY_CHART = [
  'PARTNER_ENVIRONMENT',
  'RELEASE_VERSION',
  'RELEASE_SANDBOX_SINCE',
  'RELEASE_EARLY_REASON',
];

/** A container's port: the pods' user may not bind a lower one. */
const UNPRIVILEGED = { minimum: 1024 };

const IN_CHARTS: Readonly<Record<string, ValueSchema>> = {
  ADMIN_PORT: UNPRIVILEGED,
  HTTP_PORT: UNPRIVILEGED,
  // The ingress.
  TRUSTED_PROXY_HOPS: { default: 1 },
  REDIS_KEY_PREFIX: {
    type: ['string', 'null'],
    default: null,
    description:
      'Prefix of every key in Redis. null: `partner:` in production, `partner-sandbox:` in a sandbox.',
  },
  // The maximum of the autoscaler. The number is fixed, so that scaling restarts no pod.
  RATE_LIMIT_REPLICAS: { default: 10 },
};

/** Returns `rpcTimeoutMs` for `RPC_TIMEOUT_MS`. */
function valueNameOf(setting: string): string {
  return setting.toLowerCase().replaceAll(/_(.)/g, (_match, letter: string) => letter.toUpperCase());
}

/** A setting without a default: with an empty value the service uses its own. */
function allowEmpty(schema: ValueSchema): ValueSchema {
  const pattern = schema['pattern'];
  return {
    ...schema,
    ...(schema.enum !== undefined && { enum: ['', ...schema.enum] }),
    ...(typeof pattern === 'string' && { pattern: `^$|${pattern}` }),
    format: undefined,
    minLength: undefined,
    default: '',
  };
}

export function settingValue(program: string, name: string, inChart: ValueSchema = {}) {
  const setting = settingsOf(program).settings.find((candidate) => candidate.name === name);
  if (setting === undefined) throw new Error(`${program} has no setting ${name}`);
  const schema = { ...setting.schema, ...IN_CHARTS[name], ...inChart };
  return z
    .unknown()
    .optional()
    .meta(schema.default === undefined ? allowEmpty(schema) : schema);
}

export function secretKey(setting: string, description: string) {
  return types.key.default(setting).describe(description);
}

export function settingsValues(service: ServiceName) {
  const settings = settingsOf(service).settings.filter(({ name }) => !SET_BY_CHART.includes(name));
  const isSecret = ({ schema }: Setting) => schema.isSecret === true;
  return {
    config: Object.fromEntries(
      settings
        .filter((setting) => !isSecret(setting))
        .map(({ name }) => [valueNameOf(name), settingValue(service, name)]),
    ),
    secretKeys: Object.fromEntries(
      settings
        .filter(isSecret)
        .map(({ name, schema }) => [valueNameOf(name), secretKey(name, schema.description ?? '')]),
    ),
  };
}

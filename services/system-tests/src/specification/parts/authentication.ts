import type { SpecificationEntry } from '../specification-entry.js';
import {
  API_KEY,
  BOUNDARIES,
  CONSOLE_APP,
  CONTRACTS,
  DELIVERIES,
  DELIVERY_CONSOLE,
  MAIN_JOB,
  SURFACES,
} from '../test-files.js';

/** The part "Authentication". */
export const AUTHENTICATION: readonly SpecificationEntry[] = [
  {
    at: 'Authentication / rule 1',
    says: 'Every API request carries header `x-api-key` with value `<keyId>.<secret>`.',
    provedBy: {
      [SURFACES]: [
        'every operation > $id gives 401 to everything that is no valid key of its surface: the fault that the key itself shows, else always the same words',
      ],
      [API_KEY]: [
        'an API key > reads <keyId>.<secret>, with the prefix of its environment and 38 characters after it',
      ],
    },
  },
  {
    at: 'Authentication / rule 2',
    says: 'The secret part starts with `svc_test_` for sandbox keys or `svc_live_` for production keys.',
    provedBy: {
      [SURFACES]: [
        'every operation > $id gives 401 to everything that is no valid key of its surface: the fault that the key itself shows, else always the same words',
      ],
      [API_KEY]: [
        'an API key > reads <keyId>.<secret>, with the prefix of its environment and 38 characters after it',
        'an API key > is refused in the other environment',
      ],
    },
  },
  {
    at: 'Authentication / rule 3',
    says: 'Key kinds: general keys and installer-contractor keys (both owned by a company) are used on the inbound surface; installer-company keys are used on the installer v1 surface. Scopes are fixed by key kind.',
    provedBy: {
      [SURFACES]: [
        'every operation > $id takes the kinds of keys that have its scope, gives 403 to the others of its surface and 401 to those of the other',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the kinds of keys and their scopes'],
    },
  },
  {
    at: 'Authentication / rule 4',
    says: "A missing, malformed, revoked or wrong-surface key gives 401. A key that lacks the required scope, or a resource outside the key's boundary, gives 403.",
    provedBy: {
      [SURFACES]: [
        'every operation > $id gives 401 to everything that is no valid key of its surface: the fault that the key itself shows, else always the same words',
        'every operation > $id takes the kinds of keys that have its scope, gives 403 to the others of its surface and 401 to those of the other',
      ],
      [BOUNDARIES]: [
        'what belongs to another company > as a lead or project can not get an appointment: 403, whether it exists or not',
      ],
    },
  },
  {
    at: 'Authentication / rule 5',
    says: 'Scopes: leads:write, appointments:write, jobs:read, jobs:status:write, jobs:schedule:write, technicians:read, jobs:assignment:write. Per-endpoint scopes are in the Endpoints part.',
    provedBy: {
      [SURFACES]: [
        'every operation > $id takes the kinds of keys that have its scope, gives 403 to the others of its surface and 401 to those of the other',
      ],
      [CONTRACTS]: [
        'the contracts say what the specification says > of the kinds of keys and their scopes',
        'the contracts say what the specification says > of the paths, methods, scopes and answers of the part %s',
      ],
    },
  },
  {
    at: 'Authentication / rule 6',
    says: 'Console endpoints use an owner session; only a company owner manages subscriptions. How a session is established: not shown.',
    provedBy: {
      [CONSOLE_APP]: [
        '%s %s > is 401 without a session',
        '%s %s > is 401 with an API key instead of a session',
        'signing in > is refused to somebody who owns no company, once the password is right',
      ],
      [DELIVERY_CONSOLE]: [
        'what belongs to a company > is 401 without a session, and nothing comes of it',
        'what belongs to a company > is 404 to the owner of another company by whatever route, and nothing comes of it',
      ],
    },
  },
  {
    at: 'Authentication / rule 7',
    says: 'Which scopes each key kind holds: not shown beyond the endpoint scope notes.',
    requiresNothing: 'leaves open what the decisions settle',
  },
  {
    at: 'Authentication / rule 8',
    says: 'Webhook deliveries are authenticated by signature (see Events).',
    provedBy: {
      [MAIN_JOB]: [
        'a webhook > arrives signed so that a stock Standard Webhooks verifier accepts it, in the trace of its request',
      ],
      [DELIVERIES]: ['a command > becomes one signed POST of its exact body'],
    },
  },
];

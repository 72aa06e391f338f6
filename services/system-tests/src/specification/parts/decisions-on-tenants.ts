import type { SpecificationEntry } from '../specification-entry.js';
import {
  ACCESS,
  API_KEY,
  API_KEYS_ROUTES,
  API_KEY_AUTHENTICATION,
  BOUNDARIES,
  BROADCAST,
  CALLERS,
  CONTRACTS,
  HTTP_APP,
  IDS,
  LEAST_PRIVILEGE,
  MAIN_JOB,
  PLATFORM,
  SALES_MESSAGES,
  SANDBOX,
  SURFACES,
} from '../test-files.js';

/** What the decisions say of companies, keys and boundaries. */
export const DECISIONS_ON_TENANTS: readonly SpecificationEntry[] = [
  {
    at: 'Decisions',
    says: '`partner-integration-service.md` is the specification; where it speaks, it wins.',
    requiresNothing: 'says how the documents relate',
  },
  {
    at: 'Decisions',
    says: 'This page settles what it leaves open, so that every service, test and document says the same.',
    requiresNothing: 'says how the documents relate',
  },
  {
    at: 'Decisions',
    says: "A choice here may be improved, in the same commit as this rule's test and the API reference, never silently.",
    requiresNothing: 'says how the documents change',
  },
  {
    at: 'Decisions / Tenants, keys, boundaries',
    says: 'A **company** has a class: `SALES` (sells and owns leads, projects, jobs), `INSTALLER` (performs jobs), `ACCOUNTING` (receives the financial journal of the companies it is linked to).',
    provedBy: {
      [SANDBOX]: [
        'the sandbox > has companies of each class whose owners can log in and whose keys are valid',
      ],
      [SURFACES]: [
        'every operation > $id takes the kinds of keys that have its scope, gives 403 to the others of its surface and 401 to those of the other',
      ],
      [SALES_MESSAGES]: ['an entry of the journal > is told to every linked accounting company: %s'],
    },
  },
  {
    at: 'Decisions / Tenants, keys, boundaries',
    says: 'A **job** has one selling company and at most one installer company.',
    provedBy: {
      [BOUNDARIES]: [
        'what belongs to another company > was ours until it was given away: the job is 404, its entries have left the feed, and their numbers stay unused',
      ],
      [PLATFORM]: [
        'the platform > takes a job from one company and gives it to another: it leaves no trace of the first one’s work',
      ],
    },
  },
  {
    at: 'Decisions / Tenants, keys, boundaries',
    says: '`InstallerJob.company` is the selling company.',
    provedBy: {
      [BOUNDARIES]: [
        'a resource > InstallerJob has exactly the fields of the specification, with nothing of the customer but name, phone and address',
      ],
      [MAIN_JOB]: [
        'a job > that the platform assigns appears in the feed and by its id, for its installer alone',
      ],
    },
  },
  {
    at: 'Decisions / Tenants, keys, boundaries',
    says: 'Key kinds and their fixed scopes:',
    requiresNothing: 'a heading of what follows',
  },
  {
    at: 'Decisions / Tenants, keys, boundaries / `general`',
    says: "`general` | SALES company | inbound | leads:write, appointments:write | that company's leads and projects",
    provedBy: {
      [CONTRACTS]: ['the contracts say what the specification says > of the kinds of keys and their scopes'],
      [SURFACES]: [
        'every operation > $id takes the kinds of keys that have its scope, gives 403 to the others of its surface and 401 to those of the other',
      ],
      [BOUNDARIES]: [
        'what belongs to another company > as a lead or project can not get an appointment: 403, whether it exists or not',
      ],
    },
  },
  {
    at: 'Decisions / Tenants, keys, boundaries / `installer-contractor`',
    says: '`installer-contractor` | SALES company, bound to one INSTALLER company | inbound | jobs:read, jobs:status:write | jobs that the owner sold and that are assigned to that installer',
    provedBy: {
      [CONTRACTS]: ['the contracts say what the specification says > of the kinds of keys and their scopes'],
      [SURFACES]: [
        'every operation > $id takes the kinds of keys that have its scope, gives 403 to the others of its surface and 401 to those of the other',
      ],
      [BOUNDARIES]: [
        'what belongs to another company > is not seen by an installer-contractor key: neither what another seller sold nor what another installer performs',
      ],
    },
  },
  {
    at: 'Decisions / Tenants, keys, boundaries / `installer-company`',
    says: '`installer-company` | INSTALLER company | installer v1 | jobs:read, jobs:status:write, jobs:schedule:write, technicians:read, jobs:assignment:write | jobs assigned to it, whoever sold them',
    provedBy: {
      [CONTRACTS]: ['the contracts say what the specification says > of the kinds of keys and their scopes'],
      [SURFACES]: [
        'every operation > $id takes the kinds of keys that have its scope, gives 403 to the others of its surface and 401 to those of the other',
      ],
      [BOUNDARIES]: [
        'what belongs to another company > $id: a job is 404 in the same words as one that does not exist, and stays as it is',
        'what belongs to another company > never is in the feed, and its cursor is not valid',
      ],
    },
  },
  {
    at: 'Decisions / Tenants, keys, boundaries',
    says: '`GET /partner/v1/jobs/{id}` needs `jobs:read`.',
    provedBy: {
      [CONTRACTS]: [
        'the contracts say what the specification says > of the paths, methods, scopes and answers of the part %s',
      ],
      [HTTP_APP]: [
        'the order of checks > applies the rate limit before the scope, and the scope before the input',
      ],
    },
  },
  {
    at: 'Decisions / Tenants, keys, boundaries',
    says: 'An API key reads `<keyId>.<secret>`; `keyId` = `key_` + letters and digits, never a dot.',
    provedBy: {
      [API_KEY]: [
        'an API key > reads <keyId>.<secret>, with the prefix of its environment and 38 characters after it',
        'an API key > is never read from other text, and no text makes the reading fail',
      ],
    },
  },
  {
    at: 'Decisions / Tenants, keys, boundaries',
    says: '`secret` = `svc_live_` or `svc_test_`, then 32 random base62 characters, then 6 base62 characters of CRC-32 over what stands before them.',
    provedBy: {
      [API_KEY]: [
        'an API key > reads <keyId>.<secret>, with the prefix of its environment and 38 characters after it',
        'an API key > is refused after any change of one character of its secret',
      ],
    },
  },
  {
    at: 'Decisions / Tenants, keys, boundaries',
    says: 'A wrong prefix, length or checksum is refused before any look-up.',
    provedBy: {
      [API_KEY_AUTHENTICATION]: [
        'API key authentication > refuses %s without a look-up, and says what is wrong with it',
      ],
    },
  },
  {
    at: 'Decisions / Tenants, keys, boundaries',
    says: 'Stored: SHA-256 of the secret, last four characters, created, last used, expires, revoked.',
    provedBy: {
      [API_KEY]: ['an API key > is read back as what is stored of it, whatever the randomness'],
      [ACCESS]: [
        'an API key > that is unknown, wrong, expired or revoked is refused, each time in the same words and without a note',
        'an API key > has its last use written afterwards, and never an older one over a newer one',
      ],
    },
  },
  {
    at: 'Decisions / Tenants, keys, boundaries',
    says: 'Shown once.',
    provedBy: {
      [API_KEYS_ROUTES]: ['an API key > is created, and shown as a whole only then'],
    },
  },
  {
    at: 'Decisions / Tenants, keys, boundaries',
    says: 'One deployment serves one environment (`sandbox` or `production`): a key of the other environment gives 401.',
    provedBy: {
      [SURFACES]: [
        'every operation > $id gives 401 to everything that is no valid key of its surface: the fault that the key itself shows, else always the same words',
      ],
      [API_KEY]: ['an API key > is refused in the other environment'],
    },
  },
  {
    at: 'Decisions / Tenants, keys, boundaries',
    says: 'A 401 names the fault that `x-api-key` itself shows: missing, malformed, incomplete, of the other environment.',
    provedBy: {
      [CALLERS]: ['a 401 names the fault that the key itself shows, and no more'],
      [API_KEY]: ['an API key > is not read from %s, and the fault is named without the secret'],
      [API_KEY_AUTHENTICATION]: [
        'API key authentication > refuses %s without a look-up, and says what is wrong with it',
      ],
    },
  },
  {
    at: 'Decisions / Tenants, keys, boundaries',
    says: 'An unknown, wrong, revoked, expired or wrong-surface key gets the same words, so that no response confirms that a key exists.',
    provedBy: {
      [SURFACES]: [
        'every operation > $id gives 401 to everything that is no valid key of its surface: the fault that the key itself shows, else always the same words',
      ],
      [API_KEY_AUTHENTICATION]: [
        'API key authentication > refuses a key of another surface, of an unknown kind and of an unknown class, in the same words as an unknown key',
      ],
    },
  },
  {
    at: 'Decisions / Tenants, keys, boundaries',
    says: 'Revoking a key takes effect at every gateway replica within 5 seconds, caches included.',
    provedBy: {
      [MAIN_JOB]: ['a revoked key > is refused at once'],
      [API_KEY_AUTHENTICATION]: [
        'API key authentication > believes a look-up for 4 seconds, counted from its start, and no longer',
        'a revocation > takes effect with the next request',
      ],
      [BROADCAST]: ['a broadcast consumer > reaches every process, each from its first subscription on'],
    },
  },
  {
    at: 'Decisions / Tenants, keys, boundaries',
    says: 'At job-state a gateway reaches what partners can ask for, and nothing with which owners or operators manage a company.',
    provedBy: {
      [LEAST_PRIVILEGE]: [
        '%s > may not %s',
        'at job-state %s > finds whose a key is, and no method with which a company is managed',
      ],
    },
  },
  {
    at: 'Decisions / Tenants, keys, boundaries',
    says: 'Every id is a prefix and a time-ordered part (TypeID): `lead_`, `prj_`, `appt_`, `job_`, `mem_`, `doc_`, `evt_`, `whk_`, `dlv_`, `key_`, `cmp_`.',
    provedBy: {
      [IDS]: ['an id > is its prefix and a part that sorts by time of creation'],
      [BOUNDARIES]: ['every id is the prefix of its kind and a part that sorts by time'],
    },
  },
];

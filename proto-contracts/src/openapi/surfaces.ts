import { LIMITS } from '../api/limits.js';
import type { AnyOperation } from '../api/operation.js';
import type { Surface } from '../api/scopes.js';
import { AUTOMATION_OPERATIONS } from '../surfaces/automation.js';
import { CONSOLE_OPERATIONS } from '../surfaces/console.js';
import { INBOUND_OPERATIONS } from '../surfaces/inbound.js';
import { INSTALLER_OPERATIONS } from '../surfaces/installer.js';

/** A group of operations with the same credentials. */
export interface DocumentedSurface {
  readonly tag: string;
  readonly description: string;
  readonly operations: readonly AnyOperation[];
  readonly credentials: 'apiKeyHeader' | 'sessionCookie';
  /** For API keys: the surface of their kind. */
  readonly keySurface?: Surface;
  readonly requestsPerMinute: number;
  /** What the rate limit counts requests by. */
  readonly countedBy: string;
  readonly isVersioned: boolean;
}

export const SURFACES: readonly DocumentedSurface[] = [
  {
    tag: 'Inbound',
    description:
      'For companies that sell: submit leads, book appointments, follow sold jobs. Needs a key of kind `general` or' +
      ' `installer-contractor`.',
    operations: INBOUND_OPERATIONS,
    credentials: 'apiKeyHeader',
    keySurface: 'inbound',
    requestsPerMinute: LIMITS.inboundRequestsPerMinute,
    countedBy: 'company, all its keys together',
    isVersioned: false,
  },
  {
    tag: 'Installer',
    description:
      'For companies that install: follow the jobs that are assigned to you, and report their progress. Needs a key of kind' +
      ' `installer-company`.',
    operations: INSTALLER_OPERATIONS,
    credentials: 'apiKeyHeader',
    keySurface: 'installer',
    requestsPerMinute: LIMITS.installerRequestsPerMinute,
    countedBy: 'company that owns the key',
    isVersioned: true,
  },
  {
    tag: 'Console',
    description:
      'For the owner of a company in a browser: manage webhook subscriptions and see the result of each delivery. Needs a' +
      ' session; API keys are not accepted here.',
    operations: CONSOLE_OPERATIONS,
    credentials: 'sessionCookie',
    requestsPerMinute: LIMITS.consoleRequestsPerMinute,
    countedBy: 'session',
    isVersioned: false,
  },
  {
    tag: 'Automation',
    description:
      "For a company's own programs: read webhooks, deliveries, statistics and the audit trail, retry or replay deliveries, and propose" +
      ' webhooks to an owner. The other operations do what those of the console do. Needs a key of kind `automation`.',
    operations: AUTOMATION_OPERATIONS,
    credentials: 'apiKeyHeader',
    keySurface: 'automation',
    requestsPerMinute: LIMITS.automationRequestsPerMinute,
    countedBy: 'company, all its keys together',
    isVersioned: false,
  },
];

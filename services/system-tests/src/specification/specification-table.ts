import { WHAT_THE_SERVICE_DOES } from './parts/what-the-service-does.js';
import { RESOURCES } from './parts/resources.js';
import { STATES } from './parts/states.js';
import { ENDPOINTS } from './parts/endpoints.js';
import { AUTHENTICATION } from './parts/authentication.js';
import { EVENT_RULES } from './parts/events.js';
import { ERRORS } from './parts/errors.js';
import { LIMIT_RULES } from './parts/limits.js';
import { VERSIONING } from './parts/versioning.js';
import { DECISIONS_ON_TENANTS } from './parts/decisions-on-tenants.js';
import { DECISIONS_ON_HTTP } from './parts/decisions-on-http.js';
import { DECISIONS_ON_INBOUND } from './parts/decisions-on-inbound.js';
import { DECISIONS_ON_INSTALLER } from './parts/decisions-on-installer.js';
import { DECISIONS_ON_WEBHOOKS } from './parts/decisions-on-webhooks.js';
import { DECISIONS_ON_PLATFORM } from './parts/decisions-on-platform.js';
import { DECISIONS_ON_CONSOLE } from './parts/decisions-on-console.js';
import { DECISIONS_ON_SESSIONS } from './parts/decisions-on-sessions.js';
import { DECISIONS_ON_ANNOUNCEMENTS } from './parts/decisions-on-announcements.js';
import type { SpecificationEntry } from './specification-entry.js';

/** What proves each requirement of the specification and of the decisions. */
export const SPECIFICATION_TABLE: readonly SpecificationEntry[] = [
  ...WHAT_THE_SERVICE_DOES,
  ...RESOURCES,
  ...STATES,
  ...ENDPOINTS,
  ...AUTHENTICATION,
  ...EVENT_RULES,
  ...ERRORS,
  ...LIMIT_RULES,
  ...VERSIONING,
  ...DECISIONS_ON_TENANTS,
  ...DECISIONS_ON_HTTP,
  ...DECISIONS_ON_INBOUND,
  ...DECISIONS_ON_INSTALLER,
  ...DECISIONS_ON_WEBHOOKS,
  ...DECISIONS_ON_PLATFORM,
  ...DECISIONS_ON_SESSIONS,
  ...DECISIONS_ON_CONSOLE,
  ...DECISIONS_ON_ANNOUNCEMENTS,
];

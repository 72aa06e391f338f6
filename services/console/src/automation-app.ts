import { createApiKeySurface } from '@partner/gateway-kit/operations/api-key-surface';
import { memoryLimitBytes } from '@partner/kernel/process/memory-limit';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import { AUTOMATION_OPERATIONS } from '@partner/proto-contracts/surfaces/automation';
import type { RequestListener } from 'node:http';
import { createConsoleApp } from './app.js';
import type { ConsoleDeps } from './console-deps.js';
import { pagedLists } from './routes/paged-lists.js';

const PREFIX = '/automation/';

/** Of the memory for bodies and unread responses, which both APIs of the process share. */
const SHARE = { owners: 3 / 4, automation: 1 / 4 };

/** Creates what the process serves: the owners' API, and below `/automation` that of their programs, which have neither session nor page. */
export function createConsoleApps(deps: ConsoleDeps): RequestListener {
  const memoryBytes = memoryLimitBytes();
  const ofOwners = createConsoleApp(deps, memoryBytes * SHARE.owners);
  const ofPrograms = createApiKeySurface(
    { ...deps, authenticator: deps.keyAuthenticator },
    {
      name: 'automation',
      operations: AUTOMATION_OPERATIONS,
      own: (forwarding) => pagedLists(deps, forwarding, AUTOMATION_OPERATIONS),
      requestsPerMinute: () => LIMITS.automationRequestsPerMinute,
      memoryBytes: memoryBytes * SHARE.automation,
    },
  );
  return (request, response) => {
    const app = request.url?.startsWith(PREFIX) === true ? ofPrograms : ofOwners;
    app(request, response);
  };
}

import type { Surface } from './scopes.js';

/** Where each surface serves its tools to assistants (Model Context Protocol). */
export const MCP_PATHS: Readonly<Record<Surface, string>> = {
  inbound: '/inbound/mcp',
  installer: '/partner/v1/mcp',
};

import type { Surface } from './scopes.js';

/** A surface for assistants too. */
export type McpSurface = Exclude<Surface, 'automation'>;

/** Where each surface serves its tools to assistants (Model Context Protocol). */
export const MCP_PATHS: Readonly<Record<McpSurface, string>> = {
  inbound: '/inbound/mcp',
  installer: '/partner/v1/mcp',
};

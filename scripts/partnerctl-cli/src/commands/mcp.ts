import { once } from 'node:events';
import { type CommandContext, topCommand } from '../command-context.js';

/** `partnerctl mcp`: operators' tools for an assistant on this machine. */
export function mcpCommand(context: CommandContext) {
  return topCommand(
    'mcp',
    'give an assistant tools to inspect the service, over standard input and output (Model Context Protocol)',
    '',
    '--allow-writes',
    'claude mcp add operations -- scripts/partnerctl mcp',
  )
    .option('--allow-writes', 'with the tool that replays events, each after a preview')
    .action(async ({ allowWrites }) => {
      // Other commands do not need the SDK.
      const { serveAssistant } = await import('../assistant-server.js');
      const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
      const server = await serveAssistant(new StdioServerTransport(), {
        run: context.run,
        allowWrites: allowWrites === true,
        clock: () => new Date(),
      });
      const ended = once(process.stdin, 'end', { signal: context.signal }).catch(() => undefined);
      await ended;
      await server.close();
    });
}

import { paint } from './paint.js';
import type { StackStatus } from './stack/inspect-stack.js';
import { textTable } from './text-table.js';

export function renderStatus(status: StackStatus): string {
  if (status.processes.length === 0) return 'No stack is running here; scripts/up starts one.\n';
  const rows = status.processes.map(({ name, state, pid, address }) => [
    name,
    state,
    state === 'ended' ? '' : String(pid),
    address,
  ]);
  const lines = textTable([['process', 'state', 'pid', 'address'], ...rows], 'left');
  const verdict = status.isReady
    ? paint('green', `Everything is ready on ${status.description?.baseUrl ?? ''}`)
    : paint('red', 'Not everything is ready; scripts/up starts what is missing.');
  return `${lines.join('\n')}\n${verdict}\n`;
}

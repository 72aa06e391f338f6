import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { addAbortSignal } from 'node:stream';
import { text } from 'node:stream/consumers';
import { HAS_COLORS } from '@partner/local-stack/terminal';
import { EXIT_CODES, wrongUsage } from '../exit-codes.js';
import { createPartnerctl } from './run-partnerctl.js';

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    // The first signal ends the command in order.
    if (interruption.signal.aborted) process.exit(EXIT_CODES.interrupted);
    interruption.abort();
  });
}
// The reader closed the pipe, e.g. `head`.
process.stdout.on('error', () => undefined);

const { run } = createPartnerctl({
  env: process.env,
  write: (written) => void process.stdout.write(written),
  isTerminal: process.stdout.isTTY,
  hasColors: HAS_COLORS,
  clear: () => {
    if (process.stdout.isTTY) process.stdout.write('\u001b[H\u001b[2J');
  },
  tell: (message) => void process.stderr.write(message),
  isWatched: process.stderr.isTTY,
  async read(file) {
    if (file === '-') return text(addAbortSignal(interruption.signal, process.stdin));
    try {
      return await readFile(file, 'utf8');
    } catch (error) {
      throw wrongUsage(`${file} cannot be read: ${error instanceof Error ? error.message : ''}`);
    }
  },
  loginName: () => userInfo().username,
  signal: interruption.signal,
});
// Flush the output first: exiting would truncate a pipe.
process.exitCode = await run(process.argv.slice(2));

import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';

const ON_PROCESSOR = 'for (;;);';
const ON_DISK = `
  const fs = require('node:fs');
  const file = fs.openSync(String(process.pid), 'w');
  for (const bytes = Buffer.alloc(2 ** 20); ; fs.fsyncSync(file)) fs.writeSync(file, bytes, 0, bytes.length, 0);`;

/** Starts processes that keep the processor busy, every fourth one the disk, until they are stopped. Their files are in `directory`. */
export function startBusyLoops(count: number, directory: string): { stop(): void } {
  const cwd = path.join(directory, 'busy-loops');
  mkdirSync(cwd, { recursive: true });
  const loops = Array.from({ length: count }, (_, index) =>
    spawn(process.execPath, ['-e', index % 4 === 3 ? ON_DISK : ON_PROCESSOR], { cwd, stdio: 'ignore' }),
  );
  return {
    stop() {
      for (const loop of loops) loop.kill('SIGKILL');
    },
  };
}

import { createReadStream, existsSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { type ReceivedRequest, receivedRequest } from './received-request.js';

/** Opens the receiver's log, one JSON line for each request, and replays its existing records, oldest first. Skips a line that a crash has cut off. */
export async function openRequestLog(file: string, replay: (request: ReceivedRequest) => void) {
  if (existsSync(file)) for await (const request of readRequests(file)) replay(request);
  const handle = await open(file, 'a+', 0o600);
  if (await endsInsideLine(handle)) await handle.appendFile('\n');
  let last: Promise<void> = Promise.resolve();
  return {
    /** Resolves once the line is on the disk. */
    async append(request: ReceivedRequest) {
      const write = async () => {
        await handle.appendFile(`${JSON.stringify(request)}\n`);
        await handle.datasync();
      };
      last = last.then(write, write);
      await last;
    },
    async close() {
      await last.catch(() => undefined);
      await handle.close();
    },
  };
}

async function* readRequests(file: string): AsyncGenerator<ReceivedRequest> {
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    const request = parseLine(line);
    if (request !== undefined) yield request;
  }
}

export function parseLine(line: string): ReceivedRequest | undefined {
  try {
    return receivedRequest.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}

async function endsInsideLine(handle: FileHandle): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return false;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer.toString() !== '\n';
}

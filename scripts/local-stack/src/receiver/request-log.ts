import { createReadStream, existsSync } from 'node:fs';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { z } from 'zod';

const receivedRequest = z.object({
  receivedAt: z.iso.datetime({ precision: 3 }),
  path: z.string(),
  headers: z.record(z.string(), z.string()),
  /** The raw bytes: as text if they are UTF-8, else in base64. */
  body: z.string(),
  bodyEncoding: z.enum(['utf8', 'base64']),
  /** Null: the receiver has no secret of the request's version for its path. */
  verified: z.boolean().nullable(),
  /** True when the same event was accepted on the same path before. */
  duplicate: z.boolean(),
  status: z.int(),
  problem: z.string().nullable(),
});

export type ReceivedRequest = z.infer<typeof receivedRequest>;

export function bytesOf({ body, bodyEncoding }: Pick<ReceivedRequest, 'body' | 'bodyEncoding'>): Buffer {
  return Buffer.from(body, bodyEncoding);
}

/** Opens the receiver's log, one JSON line for each request, and replays its existing records, oldest first. Skips a line that a crash has cut off. */
export async function openRequestLog(file: string, replay: (request: ReceivedRequest) => void) {
  if (existsSync(file)) for await (const request of readRequests(file)) replay(request);
  const handle = await open(file, 'a+', 0o600);
  if (await endsInsideLine(handle)) await handle.appendFile('\n');
  let last: Promise<void> = Promise.resolve();
  return {
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

function parseLine(line: string): ReceivedRequest | undefined {
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

export async function readReceived(logFile: string, path: string): Promise<ReceivedRequest[]> {
  const text = await readFile(logFile, 'utf8').catch(() => '');
  return text
    .split('\n')
    .map(parseLine)
    .filter((request) => request !== undefined)
    .filter((request) => request.path === path);
}

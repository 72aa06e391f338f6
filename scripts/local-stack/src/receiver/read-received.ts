import { readFile } from 'node:fs/promises';
import type { ReceivedRequest } from './received-request.js';
import { parseLine } from './request-log.js';

/** Returns everything that the receiver has logged for a path so far, oldest first. */
export async function readReceived(logFile: string, path: string): Promise<ReceivedRequest[]> {
  const text = await readFile(logFile, 'utf8').catch(() => '');
  return text
    .split('\n')
    .map(parseLine)
    .filter((request) => request !== undefined)
    .filter((request) => request.path === path);
}

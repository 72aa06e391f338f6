import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type StackDescription } from '@partner/local-stack/stack/stack-description';
import type { Surroundings } from '../command-context.js';
import { createPartnerctl } from '../program/run-partnerctl.js';

/** Runs `partnerctl` in this process and records its output. It has no terminal; the login is olga. */
export function inProcess(surroundings: Partial<Surroundings> = {}) {
  const said = { out: '', err: '' };
  const made = createPartnerctl({
    env: {},
    write: (text) => void (said.out += text),
    isTerminal: false,
    hasColors: false,
    clear: () => undefined,
    isWatched: false,
    read: async () => '{}',
    loginName: () => 'olga',
    signal: new AbortController().signal,
    ...surroundings,
    tell: (text) => {
      said.err += text;
      surroundings.tell?.(text);
    },
  });
  return { ...made, said };
}

export function aStack(amqpUrl: string): StackDescription {
  const unreachable = 'http://127.0.0.1:1';
  return {
    baseUrl: unreachable,
    environment: 'sandbox',
    amqpUrl,
    postgresUrl: 'postgres://127.0.0.1:1/partner',
    redisUrl: 'redis://127.0.0.1:1',
    services: { console: { adminUrl: unreachable, pid: 1 } },
    companies: [],
    receiver: { url: unreachable, caFile: '', logFile: '', controlUrl: unreachable },
    listener: { url: unreachable, port: 1, certificateFile: '', keyFile: '' },
  };
}

/** Runs work with the directory of a local stack that `stack.json` describes. */
export async function withStack<T>(
  description: StackDescription,
  work: (directory: string) => Promise<T>,
): Promise<T> {
  const directory = mkdtempSync(path.join(tmpdir(), 'partnerctl-stack-'));
  try {
    writeFileSync(path.join(directory, 'stack.json'), JSON.stringify(description));
    return await work(directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

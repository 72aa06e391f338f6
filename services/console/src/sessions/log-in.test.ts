import { beforeEach, describe, expect, test } from '@jest/globals';
import { findLoginOperation, type Login } from '@partner/proto-contracts/internal/access/sign-in';
import { implementInternal } from '@partner/kernel/amqp/implement';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { ServiceError } from '@partner/kernel/process/service-error';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';
import { Counter, Registry } from 'prom-client';
import { logIn, type LogInDeps } from './log-in.js';

const login: Login = {
  membershipId: 'mem_1',
  displayName: 'Olive Owner',
  companyId: 'cmp_1',
  companyName: 'Sunny Installers',
  companyClass: 'INSTALLER',
  role: 'owner',
  passwordHash: 'hash of right',
  passwordVersion: 'first',
  hasSecondFactor: false,
};

const origin = { remoteAddress: '2001:db8:0:1:2:3:4:5', userAgent: 'Firefox' };
const NOW = new Date('2026-08-26T14:00:00Z');

const counted = new Set<string>();
const ended: string[] = [];
const trailed: string[] = [];
const compared: (string | undefined)[] = [];
let full: string | undefined;

const deps: LogInDeps = {
  operations: inProcessOperations({
    implementations: [
      implementInternal(findLoginOperation, async ({ email }) => ({
        ...(email === 'olive@sunny.example' && { login }),
        ...(email === 'tess@sunny.example' && { login: { ...login, role: null } }),
      })),
    ],
    callers: ['service'],
  }),
  sessions: {
    create: async (owner) => ({
      token: 'token',
      session: {
        ...owner,
        ...origin,
        id: 'id',
        publicId: 'ses_new',
        startedAt: NOW,
        lastSeenAt: NOW,
        expiresAt: NOW,
        confirmedUntil: NOW,
        ownerCheckedAt: NOW,
      },
      displaced: ['ses_oldest'],
    }),
    end: async ({ id }) => ended.push(id) > 0,
  },
  trail: {
    record: async ({ change, publicId }) => void trailed.push(`${change} ${publicId}`),
    note: async ({ change, publicId }) => void trailed.push(`${change} ${publicId}`),
  },
  attempts: {
    beginFromNetwork: async (network) => begin(`address ${network}`),
    beginKnown: async (client) => begin(client),
    beginUnknown: async (account) => begin(`account ${account}`),
  },
  verifyPassword: async (_network, password, passwordHash) => {
    compared.push(passwordHash);
    return passwordHash === `hash of ${password}`;
  },
  logger: silentLogger,
  logins: new Counter({
    name: 'logins',
    help: 'Logins.',
    labelNames: ['outcome'],
    registers: [new Registry()],
  }),
};

function begin(entry: string) {
  if (entry === full) throw new ServiceError('rate_limited', 'wait');
  counted.add(entry);
  return { forget: async () => void counted.delete(entry) };
}

beforeEach(() => {
  counted.clear();
  compared.length = 0;
  ended.length = 0;
  trailed.length = 0;
  full = undefined;
});

describe('a login', () => {
  test('of an owner leaves nothing counted', async () => {
    const credentials = { email: 'olive@sunny.example', password: 'right', ...origin };
    await expect(logIn(deps, credentials, {})).resolves.toMatchObject({
      token: 'token',
      session: { membershipId: 'mem_1', companyId: 'cmp_1', companyClass: 'INSTALLER' },
    });
    expect(counted).toEqual(new Set());
    expect(trailed).toEqual(['started ses_new', 'ended ses_oldest']);
    expect(ended).toEqual([]);
  });

  test('that cannot be recorded leaves no session, and is not counted as failed', async () => {
    const credentials = { email: 'olive@sunny.example', password: 'right', ...origin };
    const trail = { ...deps.trail, record: unavailable };
    await expect(logIn({ ...deps, trail }, credentials, {})).rejects.toMatchObject({ reason: 'unavailable' });
    expect(ended).toEqual(['id']);
    expect(trailed).toEqual(['ended ses_oldest']);
    expect(counted).toEqual(new Set());
  });

  test('with a wrong password stays counted for the account and for the client’s network', async () => {
    const credentials = { email: 'olive@sunny.example', password: 'wrong', ...origin };
    await expect(logIn(deps, credentials, {})).rejects.toMatchObject({ reason: 'unauthenticated' });
    expect(counted).toEqual(new Set(['address 2001:db8:0:1::/64', 'account mem_1']));
  });

  test.each([
    ['of the account', 'mem_1', ['device d']],
    ['of another account', 'mem_2', ['device d', 'address 2001:db8:0:1::/64', 'account mem_1']],
  ])('on a known device %s counts for: %s', async (_what, membershipId, expected) => {
    const device = { id: 'd', membershipId };
    const credentials = { email: 'olive@sunny.example', password: 'wrong', device, ...origin };
    await expect(logIn(deps, credentials, {})).rejects.toMatchObject({ reason: 'unauthenticated' });
    expect([...counted]).toEqual(expected);
  });

  test('of an unknown address makes the same comparison and stays counted [SESSION-2]', async () => {
    const credentials = { email: 'Unknown@sunny.example', password: 'right', ...origin };
    await expect(logIn(deps, credentials, {})).rejects.toMatchObject({ reason: 'unauthenticated' });
    expect(compared).toEqual([undefined]);
    expect(counted).toEqual(new Set(['address 2001:db8:0:1::/64', 'account unknown@sunny.example']));
  });

  test('of a person who owns no company says so only for the right password, and is not counted as failed', async () => {
    const credentials = { email: 'tess@sunny.example', ...origin };
    await expect(logIn(deps, { ...credentials, password: 'wrong' }, {})).rejects.toMatchObject({
      reason: 'unauthenticated',
    });
    counted.clear();
    await expect(logIn(deps, { ...credentials, password: 'right' }, {})).rejects.toMatchObject({
      reason: 'permission_denied',
    });
    expect(counted).toEqual(new Set());
  });

  test('that is over the limit never checks the password, and stays counted for the client', async () => {
    full = 'account mem_1';
    const credentials = { email: 'olive@sunny.example', password: 'right', ...origin };
    await expect(logIn(deps, credentials, {})).rejects.toMatchObject({ reason: 'rate_limited' });
    expect(compared).toEqual([]);
    expect(counted).toEqual(new Set(['address 2001:db8:0:1::/64']));
  });

  test.each([
    ['job-state', { operations: { callInternal: unavailable } }],
    ['the comparison', { verifyPassword: unavailable }],
    ['the session store', { sessions: { ...deps.sessions, create: unavailable } }],
  ])('is not counted as failed when %s is down', async (_name, away) => {
    const credentials = { email: 'olive@sunny.example', password: 'right', ...origin };
    await expect(logIn({ ...deps, ...away }, credentials, {})).rejects.toMatchObject({
      reason: 'unavailable',
    });
    expect(counted).toEqual(new Set());
  });
});

async function unavailable(): Promise<never> {
  throw new ServiceError('unavailable', 'away');
}

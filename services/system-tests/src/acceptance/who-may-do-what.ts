import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { isErrorReason } from '@partner/proto-contracts/api/error-reasons';
import type { AnyOperation } from '@partner/proto-contracts/api/operation';
import { AUTOMATION_OPERATIONS } from '@partner/proto-contracts/surfaces/automation';
import { CONSOLE_OPERATIONS } from '@partner/proto-contracts/surfaces/console';
import { OPERATOR_OPERATIONS } from '@partner/proto-contracts/surfaces/operators';
import { z } from 'zod';
import { addPerson } from '../support/companies.js';
import type { OwnerSession } from '../support/owner-session.js';
import {
  consoleRequests,
  type ConsoleSide,
  createConsoleSide,
  readEverything,
  readSessionIds,
} from '../surfaces/console-side.js';
import { send, type WireRequest } from '../surfaces/send.js';
import { SURFACE_OPERATIONS, surfaceOf } from '../surfaces/surface-operations.js';
import { validRequest } from '../surfaces/valid-request.js';
import type { AcceptanceWorld } from './acceptance-world.js';
import { connectOperator, createPeople, credentialsOf } from './callers.js';
import {
  type Caller,
  CALLERS,
  expectedOutcome,
  type Outcome,
  SESSIONS,
  type Target,
} from './expected-outcome.js';
import { spoilt } from './requests-of.js';

/** What deletes comes last, and a part before the whole. */
const lateness = ({ method, path }: AnyOperation) => (method === 'delete' ? 1_000 - path.length : 0);
const OPERATIONS = [
  ...new Set([
    ...[...CONSOLE_OPERATIONS, ...AUTOMATION_OPERATIONS],
    ...[...SURFACE_OPERATIONS, ...OPERATOR_OPERATIONS],
  ]),
].sort((one, other) => lateness(one) - lateness(other));

const SURFACES = {
  inbound: { service: 'inbound-gateway', challenge: 'ApiKey realm="inbound"' },
  installer: { service: 'installer-gateway', challenge: 'ApiKey realm="installer"' },
  console: { service: 'console', challenge: 'Session realm="console"' },
  automation: { service: 'console', challenge: 'ApiKey realm="automation"' },
} as const;

const ID_IN_PATH = /[a-z]+_[0-9a-z]{26}(?=\/|$)/;
const IDS_AND_SECRETS =
  /(whk|dlv|evt|rpl|key|ses|aud|cmp|mem|job|trq)_[0-9a-z]{26}|whsec_|svc_(live|test)_\w/;

const errorIn = z
  .string()
  .transform((text): unknown => JSON.parse(text))
  .pipe(z.object({ code: z.string(), error: z.string() }));

interface Cell {
  readonly caller: Caller;
  readonly target: Target;
  readonly request: WireRequest;
  readonly expected: Outcome;
}

/**
 * Who may do what: every operation for every caller, about something of the same company, of another one and of none. Which operations
 * an operator may call at all is in least-privilege.sys.test.ts.
 */
export function describeWhoMayDoWhat(world: () => AcceptanceWorld): void {
  let one: ConsoleSide;
  let other: ConsoleSide;
  let people: Awaited<ReturnType<typeof createPeople>>;
  let operator: Awaited<ReturnType<typeof connectOperator>>;
  const sessions = new Map<Caller, OwnerSession | undefined>();

  beforeAll(async () => {
    const { stack } = world();
    const createSide = async (place: number): Promise<ConsoleSide> => {
      const side = await createConsoleSide(stack, stack.company('INSTALLER', place));
      const { membershipId } = await addPerson(stack, side.company.id, 'VIEWER');
      return { ...side, ids: { ...side.ids, colleagues: membershipId } };
    };
    one = await createSide(0);
    other = await createSide(1);
    people = await createPeople(world(), one.company);
    for (const caller of SESSIONS) sessions.set(caller, await people.signIn(caller));
    operator = await connectOperator(stack.stack.description.amqpUrl, other.company);
  });

  afterAll(() => operator.close());

  /** Requests without credentials: one for each body that the operation takes. */
  async function requestsOn(side: ConsoleSide, operation: AnyOperation): Promise<readonly WireRequest[]> {
    const { stack } = world();
    if (SURFACE_OPERATIONS.includes(operation)) {
      const keySide = side === one ? world().side : world().other;
      const { headers: _headers, ...request } = await validRequest(stack, keySide, operation);
      return [request];
    }
    const url = `${stack.receiverUrl}/${operation.id}`;
    const atReceiver = (body: object): unknown =>
      JSON.parse(JSON.stringify(body), (name, value: unknown) => (name === 'url' ? url : value));
    return consoleRequests(operation, side).map(({ body, ...request }) => ({
      ...request,
      body: typeof body === 'object' && body !== null ? atReceiver(body) : body,
    }));
  }

  /** The requests of a caller of the first company; of the operator, who acts for the other one. */
  async function cellsOf(operation: AnyOperation): Promise<readonly Cell[]> {
    const [ofOne, ofOther] = [await requestsOn(one, operation), await requestsOn(other, operation)];
    const isOnOne = operation.path.includes(':id');
    const surface = surfaceOf(operation);
    const takesInput =
      operation.body !== undefined ||
      surface === 'installer' ||
      (surface === 'inbound' && operation.query !== undefined);
    const withId = (idOf: (id: string) => string) =>
      ofOne.slice(0, 1).map((request) => ({ ...request, path: request.path.replace(ID_IN_PATH, idOf) }));
    const missing = withId((id) => `${id.slice(0, -4)}zzzz`);
    const callers = CALLERS.filter((name) => name !== 'operator' || OPERATOR_OPERATIONS.includes(operation));
    return callers.flatMap((caller) => {
      const on = (target: Target, requests: readonly WireRequest[]): readonly Cell[] =>
        requests.map((request) => {
          return {
            caller,
            target,
            request,
            expected: expectedOutcome(operation, caller, target, request.body),
          };
        });
      const [own, foreign] = caller === 'operator' ? [ofOther, ofOne] : [ofOne, ofOther];
      return [
        ...on('own', own),
        ...(isOnOne ? on('foreign', foreign) : []),
        ...(isOnOne ? on('missing', missing) : []),
        ...(isOnOne
          ? on(
              'malformed id',
              withId(() => '%F0%9F%8F%A0'),
            )
          : []),
        ...(takesInput && caller !== 'operator'
          ? on(
              'invalid input',
              missing.map((request) => spoilt(operation, request)),
            )
          : []),
      ];
    });
  }

  /** Resolves to how to send a request; its credentials exist by then. */
  async function prepare(operation: AnyOperation, { caller, request }: Cell, session = sessions.get(caller)) {
    if (caller === 'operator') return () => operator.send(operation, request);
    const headers = {
      ...request.headers,
      ...(await credentialsOf(world(), operation, caller, { session, side: one })),
      ...(operation.idempotencyKey === undefined ? {} : { 'idempotency-key': newId('evt') }),
      // Failed authentications of one client are limited.
      'x-forwarded-for': `203.0.${OPERATIONS.indexOf(operation)}.${CALLERS.indexOf(caller)}`,
    };
    const { url = '' } =
      world().stack.stack.description.services[SURFACES[surfaceOf(operation)].service] ?? {};
    return () => send(url, { ...request, headers });
  }

  const readState = async () => ({
    everything: await readEverything(world().stack.database),
    sessions: [await readSessionIds(one.session), await readSessionIds(other.session)],
  });

  test.each(OPERATIONS)(
    '$id refuses all others, invalid input, and what another company or no company has, and does nothing [AUTH-1, AUTH-3, AUTH-4, AUTH-5, AUTH-6, AUTH-8, AUTH-11, AUTH-12, CONTRACTOR-4, ERROR-4, ERROR-5, ERROR-6, EVENT-6, HTTP-4, HTTP-5, JOB-2, REPLAY-4, ROLE-1, SESSION-2, WEBHOOK-10]',
    async (operation) => {
      const cells = (await cellsOf(operation)).filter(({ expected }) => expected.code !== undefined);
      const calls = await Promise.all(cells.map((cell) => prepare(operation, cell)));
      const before = await readState();
      const responses = await Promise.all(calls.map((call) => call()));
      const outcomes = responses.map(({ status, text }) => ({ status, ...errorIn.parse(text) }));
      expect(outcomes.map((outcome, place) => ({ ...cells[place], expected: outcome }))).toEqual(
        cells.map(({ expected: { error = '', ...expected }, ...cell }) => {
          return { ...cell, expected: { ...expected, error: expect.stringContaining(error) } };
        }),
      );
      expect(await readState()).toEqual(before);
      const notFound = outcomes.filter(({ code }) => code === 'not_found').map(({ error }) => error);
      expect(new Set(notFound).size).toBeLessThanOrEqual(1);
      for (const { status, headers, text } of responses) {
        expect(text).not.toMatch(IDS_AND_SECRETS);
        expect(headers.getSetCookie()).toEqual([]);
        const challenge = status === 401 ? SURFACES[surfaceOf(operation)].challenge : null;
        expect(headers.get('www-authenticate')).toBe(challenge);
      }
    },
  );

  // After all refusals, since these change what the requests are about.
  test.each(OPERATIONS)(
    '$id serves every caller that it is for, and reveals nothing of another company [AUTH-3, AUTH-5, AUTH-6, AUTH-8, ROLE-1]',
    async (operation) => {
      const { installerId, sellerId, jobId, leadId, technicianIds } = world().other;
      const foreignIds = [
        ...[...Object.values(other.ids), other.company.id],
        ...[installerId, sellerId, jobId, leadId, ...technicianIds],
      ];
      const isOfSession = operation.method !== 'get' && operation.path.startsWith('/partner-api/session');
      const cells = (await cellsOf(operation)).filter(({ expected }) => expected.code === undefined);
      expect(cells).not.toEqual([]);
      for (const { request, ...cell } of cells) {
        const session = isOfSession ? await people.signIn(cell.caller) : sessions.get(cell.caller);
        // A session belongs to a person.
        const [sessionId = ''] =
          operation.id === 'endSession' && session ? await readSessionIds(session) : [];
        const path = sessionId === '' ? request.path : request.path.replace(ID_IN_PATH, sessionId);
        const call = await prepare(operation, { ...cell, request: { ...request, path } }, session);
        const { status, text, headers } = await call();
        if (status >= 300) {
          // An error that depends on the state of what the request is about, not on who sends it.
          const { code, error } = errorIn.parse(text);
          const isDeclared = operation.errors?.includes(isErrorReason(code) ? code : 'internal');
          const isNotShown = code === 'not_found' && operation.path.includes(':id');
          const seen = { ...cell, code, error };
          expect({ ...seen, isAllowed: isDeclared === true && !isNotShown }).toEqual({
            ...seen,
            isAllowed: true,
          });
        }
        expect(headers.get('access-control-allow-origin')).toBeNull();
        if (cell.caller !== 'operator') expect(foreignIds.filter((id) => text.includes(id))).toEqual([]);
      }
    },
  );
}

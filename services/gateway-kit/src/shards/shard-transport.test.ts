import { EventEmitter, once } from 'node:events';
import { createClient, type Transport } from '@connectrpc/connect';
import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  AccessService,
  AuthenticationService,
  LocationService,
} from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { AuditService } from '@partner/proto-contracts/gen/partner/audit/v1/audit_service_pb';
import { ContractorJobService } from '@partner/proto-contracts/gen/partner/jobs/v1/contractor_job_service_pb';
import { JobService } from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { AppointmentService } from '@partner/proto-contracts/gen/partner/leads/v1/appointment_service_pb';
import { LeadService } from '@partner/proto-contracts/gen/partner/leads/v1/lead_service_pb';
import { NotificationService } from '@partner/proto-contracts/gen/partner/notifications/v1/notification_service_pb';
import { SandboxService } from '@partner/proto-contracts/gen/partner/sandbox/v1/sandbox_service_pb';
import { DeliveryService } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import { EventFeedService } from '@partner/proto-contracts/gen/partner/webhooks/v1/event_feed_service_pb';
import { SubscriptionService } from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
import { notCarriedOut, serviceErrorFrom } from '@partner/kernel/amqp/rpc-error';
import { notFound, ServiceError } from '@partner/kernel/service-error';
import { createInMemoryTransport, partialRpcService } from '@partner/kernel/testing/in-memory-transport';
import { eventually } from '@partner/test-kit/eventually';
import { IDENTIFYING_RPCS } from './identifying-rpcs.js';
import { createShardTransport, LOCATED_MS } from './shard-transport.js';

const COMPANY = 'cmp_1';

/** What a shard says about the company. */
type State = 'known' | 'unknown' | 'unreachable';

/** A shard that the tests change, with the calls that it received. */
interface FakeShard {
  state: State;
  /** Delays the response, which is that of the state at the call. */
  delay: Promise<void>;
  /** Whether the identity of the company's owner is linked there. */
  isLinked: boolean;
  readonly calls: string[];
  readonly transport: Transport;
}

function fakeShard(name: string): FakeShard {
  const calls: string[] = [];
  /** Resolves to the response of a shard that knows the company, or to that of one that does not. */
  async function say<T>(method: string, known: T, unknown: () => T): Promise<T> {
    calls.push(method);
    const { state } = shard;
    await shard.delay;
    if (state === 'unreachable') throw notCarriedOut(new Error('there is no connection to the broker'));
    return state === 'known' ? known : unknown();
  }
  const refuse = (error: ServiceError) => () => {
    throw error;
  };
  const login = { companyId: COMPANY, companyName: name };
  const shard: FakeShard = {
    state: 'unknown',
    delay: Promise.resolve(),
    isLinked: false,
    calls,
    transport: createInMemoryTransport([
      partialRpcService(AuthenticationService, {
        authenticateKey: () =>
          say(
            'authenticateKey',
            { companyId: COMPANY },
            refuse(new ServiceError('unauthenticated', 'the API key is not valid')),
          ),
      }),
      partialRpcService(LocationService, {
        locateCompany: () => say<{ companyId?: string }>('locateCompany', { companyId: COMPANY }, () => ({})),
      }),
      partialRpcService(AccessService, {
        getLogin: () => say<{ login?: typeof login }>('getLogin', { login }, () => ({})),
        getProviderLogin: () =>
          say<{ login?: typeof login; isLinked?: boolean }>(
            'getProviderLogin',
            { login, isLinked: shard.isLinked },
            () => ({}),
          ),
        usePasswordLink: () => say('usePasswordLink', {}, refuse(notFound('password link'))),
      }),
      partialRpcService(JobService, {
        getJob: () => {
          calls.push('getJob');
          return { resourceJson: name };
        },
      }),
      partialRpcService(ContractorJobService, { listContractorJobs: () => ({ resourceJson: name }) }),
    ]),
  };
  return shard;
}

let first: FakeShard;
let second: FakeShard;
let now: number;
let transport: Transport;

beforeEach(() => {
  [first, second, now] = [fakeShard('first'), fakeShard('second'), 0];
  transport = createShardTransport({
    shards: [first.transport, second.transport],
    defaultTimeoutMs: 5_000,
    monotonicMs: () => now,
  });
});

const authenticate = () => createClient(AuthenticationService, transport).authenticateKey({ keyId: 'key_1' });
const logIn = () => createClient(AccessService, transport).getLogin({ email: 'olive@a.example' });
const getProviderLogin = () => createClient(AccessService, transport).getProviderLogin({});
/** Resolves to the name of the shard that has responded. */
const read = async () =>
  (await createClient(JobService, transport).getJob({ companyId: COMPANY, jobId: 'job_1' })).resourceJson;
const calls = () => [first.calls.splice(0), second.calls.splice(0)];

/** Delays the response of a shard to its next call until the returned function is called. */
function holdResponse(shard: FakeShard): () => void {
  const held = new EventEmitter();
  shard.delay = once(held, 'end').then(() => undefined);
  return () => held.emit('end');
}

describe('a request that names no company', () => {
  const IDENTIFY = {
    'an API key': async () => (await authenticate()).companyId === COMPANY,
    'a login': async () => (await logIn()).login !== undefined,
    'a password link': async () => {
      await createClient(AccessService, transport).usePasswordLink({});
      return true;
    },
  } as const;
  const STATES = ['known', 'unknown', 'unreachable'] as const;

  /** The result: found, as if the service had one shard without it, or 503. */
  async function resultOf(identify: () => Promise<boolean>): Promise<string> {
    try {
      return (await identify()) ? 'known' : 'unknown';
    } catch (error) {
      const { reason } = serviceErrorFrom(error);
      return reason === 'unauthenticated' || reason === 'not_found' ? 'unknown' : reason;
    }
  }

  test.each(Object.entries(IDENTIFY))(
    '%s: the shard that knows it responds; else one that does not respond makes a 503 [SHARD-2]',
    async (_, identify) => {
      for (const of of STATES.flatMap((one) => STATES.map((other) => [one, other] as const))) {
        [first.state, second.state] = of;
        const expected = (['known', 'unreachable'] as const).find((state) => of.includes(state)) ?? 'unknown';
        const result = await resultOf(identify);
        expect([of, result]).toEqual([of, expected === 'unreachable' ? 'unavailable' : expected]);
      }
    },
  );

  test('it does not wait for the other shards once one knows it [SHARD-4]', async () => {
    second.state = 'known';
    const end = holdResponse(first);
    expect((await logIn()).login?.companyName).toBe('second');
    end();
  });

  test('it finds a company that moves between the calls to two shards [SHARD-2]', async () => {
    const found = authenticate();
    // Asked before the company arrived; the first shard was asked after it had left.
    second.state = 'known';
    await expect(found).resolves.toMatchObject({ companyId: COMPANY });
    expect(calls()).toEqual([
      ['authenticateKey', 'authenticateKey'],
      ['authenticateKey', 'authenticateKey'],
    ]);
  });

  test('a linked identity counts before a matching email address in another shard [SHARD-2]', async () => {
    [first.state, second.state, second.isLinked] = ['known', 'known', true];
    expect((await getProviderLogin()).login?.companyName).toBe('second');
    second.state = 'unknown';
    expect((await getProviderLogin()).login?.companyName).toBe('first');
    second.state = 'unreachable';
    await expect(getProviderLogin()).rejects.toMatchObject({ reason: 'unavailable' });
  });
});

describe('a request that names a company', () => {
  test('goes to the shard that identified the caller, without another call [SHARD-3]', async () => {
    second.state = 'known';
    await authenticate();
    calls();
    expect(await read()).toBe('second');
    const jobs = createClient(ContractorJobService, transport);
    expect(await jobs.listContractorJobs({ sellingCompanyId: COMPANY })).toMatchObject({
      resourceJson: 'second',
    });
    expect(calls()).toEqual([[], ['getJob']]);
  });

  test('locates the company at first and 4 s later, once for concurrent requests, and follows it [SHARD-3]', async () => {
    first.state = 'known';
    expect(await Promise.all([read(), read()])).toEqual(['first', 'first']);
    expect(calls()).toEqual([['locateCompany', 'getJob', 'getJob'], ['locateCompany']]);
    [first.state, second.state] = ['unknown', 'known'];
    now = LOCATED_MS - 1;
    expect(await read()).toBe('first');
    now = LOCATED_MS;
    expect(await read()).toBe('second');
  });

  test('is 503 while the company is moved, and no shard receives it [SHARD-3]', async () => {
    first.state = 'unreachable';
    await expect(read()).rejects.toMatchObject({ reason: 'unavailable' });
    expect(calls()).toEqual([['locateCompany'], ['locateCompany']]);
  });

  test('a late response does not replace a newer location [SHARD-3]', async () => {
    [first.state, second.state] = ['known', 'unknown'];
    const end = holdResponse(first);
    const early = authenticate();
    await eventually('the call is there', () => first.calls.length > 0);
    now = 1_000;
    [first.state, second.state] = ['unknown', 'known'];
    await authenticate();
    end();
    await early;
    expect(await read()).toBe('second');
  });

  test('does not rely on a location that took 4 s [SHARD-3]', async () => {
    first.state = 'known';
    const slow = read();
    now = LOCATED_MS;
    await expect(slow).rejects.toMatchObject({ reason: 'unavailable' });
  });

  test('goes to the first shard if the company is in none, as with one shard [SHARD-1]', async () => {
    expect(await read()).toBe('first');
  });
});

test('each RPC of gateways and console identifies a caller, names a company or is for one shard [SHARD-1]', () => {
  const services = [
    ...[AccessService, AuditService, AuthenticationService, AppointmentService, ContractorJobService],
    ...[DeliveryService, EventFeedService, JobService, LeadService, NotificationService, SandboxService],
    SubscriptionService,
  ];
  const others = services
    .flatMap((service) => service.methods)
    .filter((method) => !IDENTIFYING_RPCS.has(method))
    .filter(
      ({ input }) => input.field['companyId'] === undefined && input.field['sellingCompanyId'] === undefined,
    );
  expect(others.map(({ name }) => name)).toEqual([
    'GetServiceStatus',
    'LeaseNotificationEmails',
    'ReportNotificationEmail',
    'LeaseSecurityNotices',
    'ReportSecurityNotice',
  ]);
});

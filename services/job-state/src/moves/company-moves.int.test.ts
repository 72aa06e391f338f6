import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { createClient } from '@connectrpc/connect';
import {
  AccessService,
  AuthenticationService,
  LocationService,
} from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { rpcService } from '@partner/kernel/amqp/rpc-server';
import { createApiKey } from '@partner/kernel/api-key';
import { newId } from '@partner/kernel/ids';
import { silentLogger } from '@partner/kernel/logger';
import { notFound, ServiceError } from '@partner/kernel/service-error';
import { createInMemoryTransport } from '@partner/kernel/testing/in-memory-transport';
import { eventually } from '@partner/test-kit/eventually';
import { Registry } from 'prom-client';
import { createAccessService } from '../access/access-service.js';
import { createAuthenticationService } from '../access/authentication-service.js';
import { createLocationService } from '../access/location-service.js';
import { createGate } from '../testing/create-gate.js';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.js';
import { insertCompany } from '../testing/test-jobs.js';
import { TEST_SEALING_KEYS } from '../testing/test-sealing-keys.js';
import { type CompanyGate, startCompanyGate } from './company-moves.js';

let testDatabase: TestDatabase;
let gate: CompanyGate;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const { database } = testDatabase;
  gate = await startCompanyGate({ database, logger: silentLogger, metrics: new Registry(), intervalMs: 5 });
});
afterEach(() => testDatabase.database.query('delete from company_moves'));
afterAll(async () => {
  await gate.stop();
  await testDatabase.drop();
});

/** The RPCs behind the gate. */
function clients() {
  const { database } = testDatabase;
  const deps = { database, clock: () => new Date(), logger: silentLogger, environment: 'sandbox' } as const;
  const services = [
    rpcService(AccessService, createAccessService({ ...deps, sealingKeys: TEST_SEALING_KEYS })),
    rpcService(
      AuthenticationService,
      createAuthenticationService({ ...deps, keyUsage: { note: () => undefined } }),
    ),
  ];
  const transport = createInMemoryTransport([
    ...services.map(gate.guard),
    rpcService(LocationService, createLocationService(deps)),
  ]);
  return {
    access: createClient(AccessService, transport),
    authentication: createClient(AuthenticationService, transport),
    location: createClient(LocationService, transport),
  };
}

/** A company with a key, an owner with a link to set a password, and an address to confirm. */
async function company() {
  const { database } = testDatabase;
  const companyId = await insertCompany(database, 'SALES');
  const key = createApiKey('sandbox');
  await database.query(
    `insert into api_keys (id, company_id, kind, secret_sha256, last_four) values ($1, $2, 'general', $3, 'abcd')`,
    [key.keyId, companyId, key.secretSha256],
  );
  const membershipId = newId('mem');
  const email = `${membershipId}@seller.example`;
  await database.query(
    `insert into memberships (id, company_id, role, display_name, email, password_hash) values ($1, $2, 'OWNER', 'Dana', $3, 'hash')`,
    [membershipId, companyId, email],
  );
  const tokenSha256 = new Uint8Array(key.secretSha256);
  await database.query(
    `insert into password_links (membership_id, token_sha256, expires_at) values ($1, $2, now() + interval '1 hour')`,
    [membershipId, Buffer.from(tokenSha256)],
  );
  await database.query(
    `insert into technical_contacts (company_id, pending_email, pending_token_sha256, pending_expires_at)
     values ($1, $2, $3, now() + interval '1 hour')`,
    [companyId, email, Buffer.from(tokenSha256)],
  );
  return { companyId, key, membershipId, email, tokenSha256 };
}

type Company = Awaited<ReturnType<typeof company>>;

/** Calls each RPC by which a caller is identified, and returns the reason of each failure. */
async function refusals({ companyId, key, membershipId, email, tokenSha256 }: Company) {
  const { access, authentication, location } = clients();
  const identity = { issuer: 'https://idp.example', subject: membershipId, verifiedEmail: email };
  const calls = {
    authenticateKey: () => authentication.authenticateKey(key),
    locateCompany: () => location.locateCompany({ companyId }),
    locateAddress: () => access.locateAddress({ email }),
    getLogin: () => access.getLogin({ email }),
    getProviderLogin: () => access.getProviderLogin({ identity }),
    getOwner: () => access.getOwner({ companyId, membershipId }),
    getPasswordLink: () => access.getPasswordLink({ tokenSha256 }),
    usePasswordLink: () => access.usePasswordLink({ tokenSha256, passwordHash: 'hash', actor: {} }),
    requestPasswordLink: () => access.requestPasswordLink({ email, tokenSha256 }),
    confirmTechnicalContact: () => access.confirmTechnicalContact({ tokenSha256 }),
  };
  const reasons: Record<string, string> = {};
  for (const [name, call] of Object.entries(calls)) {
    const error: unknown = await call().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (error instanceof ServiceError) reasons[name] = error.reason;
  }
  return reasons;
}

/** Begins a move, and waits until the gate knows of it. */
async function setMove(companyId: string, state: 'leaving' | 'left'): Promise<void> {
  await testDatabase.database.query('insert into company_moves (company_id, state) values ($1, $2)', [
    companyId,
    state,
  ]);
  await eventually('the refusal of the company', () =>
    clients()
      .access.getOwner({ companyId, membershipId: newId('mem') })
      .then(
        () => false,
        () => true,
      ),
  );
}

const ALL_UNAVAILABLE = Object.fromEntries(
  [
    ...['authenticateKey', 'getLogin', 'getProviderLogin', 'getOwner', 'getPasswordLink', 'usePasswordLink'],
    ...['requestPasswordLink', 'confirmTechnicalContact', 'locateCompany', 'locateAddress'],
  ].map((name) => [name, 'unavailable']),
);

test('a caller of a company that is being moved is unavailable, others are served [MOVE-4]', async () => {
  const [moving, other] = [await company(), await company()];
  await setMove(moving.companyId, 'leaving');
  expect(await refusals(moving)).toEqual(ALL_UNAVAILABLE);
  expect(await refusals(other)).toEqual({ usePasswordLink: 'invalid_argument' });
  const unknown = { ...moving, companyId: newId('cmp'), key: createApiKey('sandbox') };
  expect(await refusals(unknown)).toMatchObject({ authenticateKey: 'unauthenticated' });
});

test('an unknown caller is unavailable while a company is in neither database, and refused afterwards [MOVE-4]', async () => {
  const [known, between] = [await company(), newId('cmp')];
  const unknown = {
    ...known,
    ...{
      companyId: between,
      key: createApiKey('sandbox'),
      membershipId: newId('mem'),
      email: 'unknown@seller.example',
    },
    tokenSha256: new Uint8Array(32),
  };
  await setMove(between, 'leaving');
  expect(await refusals(unknown)).toEqual(ALL_UNAVAILABLE);
  expect(await refusals(known)).toEqual({ usePasswordLink: 'invalid_argument' });
  await testDatabase.database.query(`update company_moves set state = 'left'`);
  expect(await refusals(unknown)).toEqual({
    authenticateKey: 'unauthenticated',
    // It names the company: a caller that believes it to be here must not learn that it is not.
    getOwner: 'unavailable',
    getPasswordLink: 'not_found',
    usePasswordLink: 'not_found',
    confirmTechnicalContact: 'not_found',
  });
});

test('a read that ends, or fails, after its company has left is unavailable [MOVE-4]', async () => {
  const { companyId } = await company();
  const left = createGate();
  const call = (respond: () => { companyId: string }) => {
    const locateCompany = () => left.opened.then(respond);
    const service = gate.guard(rpcService(LocationService, { locateCompany }));
    return createClient(LocationService, createInMemoryTransport([service])).locateCompany({ companyId });
  };
  const calls = Promise.allSettled([
    call(() => ({ companyId })),
    call(() => {
      throw notFound('company');
    }),
  ]);
  await setMove(companyId, 'left');
  left.open();
  const unavailable = { status: 'rejected', reason: { reason: 'unavailable' } };
  expect(await calls).toMatchObject([unavailable, unavailable]);
});

import { insertCompany, insertMember } from '@partner/job-state/testing/test-jobs';
import type { TestDatabase } from '@partner/job-state/testing/test-database';
import { webhookRows } from '@partner/job-state/testing/webhook-fixture';
import { testImplementations } from '@partner/job-state/testing/test-implementations';
import { SERVED_FOR_AUTOMATION } from '@partner/proto-contracts/surfaces/automation';
import type { Caller } from '@partner/proto-contracts/call';
import type { Implementation } from '@partner/kernel/amqp/implement';
import { ServiceError } from '@partner/kernel/process/service-error';
import { createManualTimers } from '@partner/kernel/testing/manual-timers';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';
import { hash } from '@node-rs/argon2';

/** The password of everyone who uses a test console. */
export const PASSWORD = 'correct horse battery staple';

/** Cheap hashes, because tests do hundreds of logins. A hash states its costs, so verification is cheap too. */
const CHEAP_HASHING = { memoryCost: 8, timeCost: 1, parallelism: 1 };

/** Returns another hash of the same password. */
export function hashPassword(): Promise<string> {
  return hash(PASSWORD, CHEAP_HASHING);
}

export interface MemberChange {
  readonly role?: 'OWNER' | 'VIEWER';
  readonly active?: false;
  readonly passwordHash?: string;
}

/** The addresses of people who use a test console: owners of two companies, and two who own none. */
export const PEOPLE = {
  installerOwner: 'olive@sunny.example',
  salesOwner: 'sam@roofs.example',
  viewer: 'vera@sunny.example',
  technician: 'tess@sunny.example',
} as const;

export type TestJobState = Awaited<ReturnType<typeof createTestJobState>>;

/**
 * Creates separate companies and people in a real database, and serves job-state's operations on it in this process. The people of an
 * earlier test are no longer found.
 */
export async function createTestJobState(database: TestDatabase['database']) {
  const time = createTestTime();
  await database.query('update memberships set email = null, password_hash = null, active = false');
  await database.query('delete from provider_links');
  const passwordHash = await hashPassword();
  const sunny = await insertCompany(database, 'INSTALLER', 'Sunny Installers');
  const roofs = await insertCompany(database, 'SALES', 'Roofs and Sons');
  const member = (
    companyId: string,
    role: 'OWNER' | 'VIEWER' | 'TECHNICIAN',
    displayName: string,
    email: string,
  ) => insertMember(database, { companyId, role, displayName, email, passwordHash });
  const ids = {
    sunny,
    roofs,
    olive: await member(sunny, 'OWNER', 'Olive Owner', PEOPLE.installerOwner),
    vera: await member(sunny, 'VIEWER', 'Vera Viewer', PEOPLE.viewer),
    tess: await member(sunny, 'TECHNICIAN', 'Tess Technician', PEOPLE.technician),
    sam: await member(roofs, 'OWNER', 'Sam Seller', PEOPLE.salesOwner),
  };
  const called: { readonly operation: string; readonly caller: Caller }[] = [];
  const away = new Set<string>();
  const watched = (implementation: Implementation): Implementation => ({
    ...implementation,
    async run(call) {
      called.push({ operation: implementation.id, caller: call.caller });
      if (away.has(implementation.id)) throw new ServiceError('unavailable', 'job-state is away');
      return implementation.run(call);
    },
  });
  return {
    database,
    rows: webhookRows(database),
    operations: inProcessOperations({
      implementations: testImplementations({ database, clock: time.clock }).map(watched),
      callers: ['owner', 'service'],
      forKeys: SERVED_FOR_AUTOMATION,
    }),
    /** The ids of the companies, and of the membership of each person. */
    ids,
    called,
    /** The calls on behalf of an owner but those that record a session, newest last. */
    calledForOwners: () =>
      called.filter(
        ({ operation, caller }) => caller.kind === 'owner' && operation !== 'recordSessionChange',
      ),
    /** Records that a test of a webhook with its current secret was accepted with 2xx. */
    async acceptTest(subscriptionId: string) {
      await database.query(
        'update subscriptions set verified_url_version = url_version, verified_secret_version = secret_version where id = $1',
        [subscriptionId],
      );
    },
    /** Changes a person behind the console's back, as the platform or an operator does. */
    async changeMember(membershipId: string, change: MemberChange) {
      const { role, active, passwordHash: newHash } = change;
      await database.query(
        `update memberships set role = coalesce($2, role), active = coalesce($3, active),
           password_hash = coalesce($4, password_hash) where id = $1`,
        [membershipId, role, active, newHash],
      );
    },
    /** Makes calls of an operation fail with `unavailable` before they reach job-state, or work again. */
    setAway: (operation: string, isAway: boolean) =>
      void (isAway ? away.add(operation) : away.delete(operation)),
    time,
  };
}

/** A clock that starts at the current time, and timers; only `pass` advances them. */
function createTestTime() {
  const timers = createManualTimers();
  let now = Date.now();
  return {
    clock: () => new Date(now),
    after: timers.after,
    pass(ms: number) {
      now += ms;
      timers.pass(ms);
    },
  };
}

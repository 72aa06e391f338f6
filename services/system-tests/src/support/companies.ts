import { newId } from '@partner/kernel/process/ids';
import type { Pool } from 'pg';
import { type OwnerSession, signIn } from './owner-session.js';
import type { TestStack } from './test-stack.js';

/** Adds technicians to a company and returns their ids; the last one is inactive. */
export async function addTechnicians(
  database: Pick<Pool, 'query'>,
  companyId: string,
  count: number,
): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, () => newId('mem'));
  for (const [place, id] of ids.entries()) {
    const name = `Technician ${String(place + 1).padStart(2, '0')}`;
    await database.query(
      `insert into memberships (id, company_id, role, display_name, active) values ($1, $2, 'TECHNICIAN', $3, $4)`,
      [id, companyId, name, place < count - 1],
    );
  }
  return ids;
}

/** Adds a person who can sign in to the console. */
export async function addPerson(
  stack: Pick<TestStack, 'database' | 'company'>,
  companyId: string,
  role: 'OWNER' | 'VIEWER',
) {
  const known = stack.company('SALES');
  const membershipId = newId('mem');
  const email = `${membershipId}@owners.example`;
  await stack.database.query(
    `insert into memberships (id, company_id, role, display_name, email, password_hash)
     select $1, $2, $3, 'A person', $4, password_hash from memberships where email = $5`,
    [membershipId, companyId, role, email, known.owner.email],
  );
  return { membershipId, email, password: known.owner.password };
}

export async function addOwner(
  stack: Pick<TestStack, 'database' | 'baseUrl' | 'company'>,
  companyId: string,
): Promise<OwnerSession> {
  return signIn(stack.baseUrl, await addPerson(stack, companyId, 'OWNER'));
}

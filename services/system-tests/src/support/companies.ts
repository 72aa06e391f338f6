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

export async function addOwner(
  stack: Pick<TestStack, 'database' | 'baseUrl' | 'company'>,
  companyId: string,
): Promise<OwnerSession> {
  const known = stack.company('SALES');
  const email = `owner-${companyId}@owners.example`;
  await stack.database.query(
    `insert into memberships (id, company_id, role, display_name, email, password_hash)
     select $1, $2, 'OWNER', 'An owner', $3, password_hash from memberships where email = $4`,
    [newId('mem'), companyId, email, known.owner.email],
  );
  return signIn(stack.baseUrl, { email, password: known.owner.password });
}

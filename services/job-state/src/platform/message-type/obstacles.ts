import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import type { Queryable } from '../../database/database.js';
import type { PlatformEffect } from './platform-message-type.js';

/** Why a message does not take effect: its prerequisite is missing, or contradicts it. */
type Obstacle = Extract<PlatformEffect, { kind: 'early' | 'refused' }>;

/** The obstacle of a message that needs a company of a class, if any. `actual`: the class of the company, if it exists. */
export function classObstacle(
  companyId: string,
  actual: string | null | undefined,
  needed: CompanyClassName,
): Obstacle | undefined {
  if (actual === undefined || actual === null) return { kind: 'early', missing: companyId };
  if (actual === needed) return undefined;
  const noun = `${needed === 'SALES' ? 'a' : 'an'} ${needed.toLowerCase()} company`;
  return { kind: 'refused', reason: `company ${companyId} is not ${noun}` };
}

export async function sellerObstacle(tx: Queryable, companyId: string): Promise<Obstacle | undefined> {
  const [company] = await tx.query<{ class: string }>('select class from companies where id = $1', [
    companyId,
  ]);
  return classObstacle(companyId, company?.class, 'SALES');
}

/** The obstacle of a message about a project of a company, if any. Null: it is about no project. */
export async function projectObstacle(
  tx: Queryable,
  projectId: string | null,
  companyId: string,
): Promise<Obstacle | undefined> {
  if (projectId === null) return undefined;
  const [project] = await tx.query<{ company_id: string }>('select company_id from projects where id = $1', [
    projectId,
  ]);
  if (project === undefined) return { kind: 'early', missing: projectId };
  return project.company_id === companyId
    ? undefined
    : { kind: 'refused', reason: `project ${projectId} belongs to another company` };
}

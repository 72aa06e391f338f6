import { newId } from '@partner/kernel/ids';
import { withPostgres } from '@partner/test-kit/backing-services/postgres';
import type { Stack } from '@partner/local-stack/stack/start-stack';
import { addCompany, addSubscription, type BenchSubscription } from './fill-deliveries.js';

/** Number of endpoints in the benchmarks of deliveries. */
export const ENDPOINTS = 100;

/** The endpoint of a separate company, with a project whose quotes cause its events. */
export interface BenchEndpoint extends BenchSubscription {
  readonly projectId: string;
}

/** Creates {@link ENDPOINTS} selling companies, each with a project and an active subscription to the events of its quotes. */
export async function addEndpoints(stack: Stack): Promise<readonly BenchEndpoint[]> {
  return withPostgres(stack.description.postgresUrl, async (client) => {
    const made: BenchEndpoint[] = [];
    for (let number = 1; number <= ENDPOINTS; number += 1) {
      const companyId = await addCompany(client, `Company ${number}`, 'SALES');
      const projectId = newId('prj');
      await client.query('insert into projects (id, company_id) values ($1, $2)', [projectId, companyId]);
      const place = { directory: stack.directory, companyId, path: `/hooks/${number}`, events: 'quote.*' };
      made.push({ ...(await addSubscription(client, place)), projectId });
    }
    return made;
  });
}

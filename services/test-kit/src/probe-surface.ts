import type { AnyOperation } from '@partner/proto-contracts/api/operation';
import type { RequestListener, Server } from 'node:http';
import supertest from 'supertest';

const open = ({ body }: AnyOperation) => [...(body === undefined ? [200] : []), 400, 403, 503];

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options'] as const;

/**
 * Probes an app without credentials: every operation, every other method on the same paths, and neighbouring paths.
 * Resolves to the violations: an operation without a 401 (if it needs no credentials: without a 400 or 403, or a 503 as there is no job-state; a read may succeed), another method without a
 * 405, or another path without a 404.
 */
export async function probeSurface(
  app: RequestListener | Server,
  operations: readonly AnyOperation[],
): Promise<readonly string[]> {
  const violations: string[] = [];
  const ask = async (method: (typeof METHODS)[number], path: string, expected: readonly number[]) => {
    const { status } = await supertest(app)[method](path);
    if (!expected.includes(status)) {
      violations.push(`${method.toUpperCase()} ${path} is ${status}, not ${expected.join(' or ')}`);
    }
  };
  const paths = [...new Set(operations.map(({ path }) => path))];
  for (const path of paths) {
    const filled = path.replaceAll(/:\w+/g, 'unknown');
    const here = operations.filter((operation) => operation.path === path);
    for (const method of METHODS) {
      const found = here.find((operation) => operation.method === (method === 'head' ? 'get' : method));
      if (found === undefined) await ask(method, filled, [405]);
      else await ask(method, filled, found.unauthenticated === true ? open(found) : [401]);
    }
    await ask('get', `${filled}/`, [404]);
    await ask('get', `${filled}/unknown/unknown`, [404]);
  }
  await ask('get', '/unknown', [404]);
  return violations;
}

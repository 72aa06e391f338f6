import type { AnyOperation } from '@partner/proto-contracts/public-api/operation';
import type { RequestListener, Server } from 'node:http';
import supertest from 'supertest';

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options'] as const;

/**
 * Asks an app for every operation without credentials, for every other method on the same paths, and for paths next to them.
 * Resolves to what is wrong: an operation that is not answered with 401 (or with 400 when it needs no credentials), another
 * method that is not 405, or another path that is not 404.
 */
export async function probeSurface(
  app: RequestListener | Server,
  operations: readonly AnyOperation[],
): Promise<readonly string[]> {
  const faults: string[] = [];
  const ask = async (method: (typeof METHODS)[number], path: string, expected: readonly number[]) => {
    const { status } = await supertest(app)[method](path);
    if (!expected.includes(status)) {
      faults.push(`${method.toUpperCase()} ${path} is ${status}, not ${expected.join(' or ')}`);
    }
  };
  const paths = [...new Set(operations.map(({ path }) => path))];
  for (const path of paths) {
    const filled = path.replaceAll(/:\w+/g, 'unknown');
    const here = operations.filter((operation) => operation.path === path);
    for (const method of METHODS) {
      const found = here.find((operation) => operation.method === (method === 'head' ? 'get' : method));
      if (found === undefined) await ask(method, filled, [405]);
      else await ask(method, filled, found.unauthenticated === true ? [400, 403] : [401]);
    }
    await ask('get', `${filled}/`, [404]);
    await ask('get', `${filled}/unknown/unknown`, [404]);
  }
  await ask('get', '/', [404]);
  return faults;
}

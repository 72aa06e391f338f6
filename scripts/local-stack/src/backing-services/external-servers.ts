import path from 'node:path';
import { z } from 'zod';
import { withPostgres } from '@partner/test-kit/backing-services/postgres';
import { withRabbitmq } from '@partner/test-kit/backing-services/rabbitmq';
import { withRedis } from '@partner/test-kit/backing-services/redis';
import { readJson, writePrivateJson } from '../private-file.js';
import { StackError } from '../stack-error.js';
import { createDockerServices } from './docker-engine.js';
import { OWN_NAME, ownVhostUrl } from './backing-service.js';

/** Creates the database `partner` unless the server has it. Resolves to whether it was missing. */
export async function createOwnDatabase(url: string): Promise<boolean> {
  return withPostgres(url, async (client) => {
    const found = await client.query('select 1 from pg_database where datname = $1', [OWN_NAME]);
    if (found.rowCount === 0) await client.query(`create database ${OWN_NAME}`);
    return found.rowCount === 0;
  });
}

/**
 * Returns the URL of the database `partner` on a given Postgres, and whether it was missing and is created. The database of the URL
 * only serves to connect. Throws {@link StackError} that says what the server refuses and how to allow it.
 */
export async function ownDatabase(url: string) {
  const own = Object.assign(new URL(url), { pathname: `/${OWN_NAME}` }).href;
  const user = decodeURIComponent(new URL(url).username) || 'the user';
  try {
    const made = await createOwnDatabase(url);
    await withPostgres(own, async (client) => {
      const schema = 'partner_permission_check';
      await client.query(`begin; create schema ${schema}; create table public.${schema} (); rollback`);
    });
    return { url: own, made };
  } catch (error) {
    throw new StackError(
      `POSTGRES_URL: ${reason(error)}. The stack uses only the database "${OWN_NAME}" there, and ${user} must be able to create` +
        ` schemas and tables in it. Either allow ${user} to create it (alter role … createdb), or create it as superuser:` +
        ` create database ${OWN_NAME} owner …`,
    );
  }
}

/** Removes the database `partner` that {@link ownDatabase} has created. `adminUrl` is the URL that was passed to it. */
export async function dropOwnDatabase(adminUrl: string): Promise<void> {
  await withPostgres(adminUrl, (client) => client.query(`drop database if exists ${OWN_NAME} with (force)`));
}

/**
 * Returns the URL of the vhost `partner` on a given RabbitMQ. Uses another vhost only if the URL names one that begins with
 * `partner`. Throws {@link StackError} that says what the broker refuses and how to allow it.
 */
export async function ownVhost(url: string): Promise<string> {
  const own = ownVhostUrl(url);
  const vhost = decodeURIComponent(new URL(own).pathname.slice(1));
  const user = decodeURIComponent(new URL(url).username) || 'guest';
  try {
    await withRabbitmq(own, async (connection) => {
      const channel = await connection.createChannel();
      channel.on('error', () => undefined);
      const name = 'partner.permission-check';
      const { queue } = await channel.assertQueue(name, { exclusive: true, autoDelete: true });
      await channel.bindQueue(queue, 'amq.direct', name);
    });
    return own;
  } catch (error) {
    // amqplib reports only this for a refused vhost; the broker's text is lost.
    const isRefused = reason(error).includes('ConnectionOpenOk');
    const refusal = isRefused ? 'the broker refuses the vhost' : reason(error);
    throw new StackError(
      `AMQP_URL: ${refusal}. The stack uses only the vhost "${vhost}" there. Create it and let ${user} use it:` +
        ` rabbitmqctl add_vhost ${vhost} && rabbitmqctl set_permissions -p ${vhost} ${user} '.*' '.*' '.*'`,
    );
  }
}

/** Runs the commands of the gateways on a given Redis. Throws {@link StackError} that says what the server refuses. */
export async function checkRedis(url: string, keyPrefix: string): Promise<void> {
  const key = `${keyPrefix}permission-check`;
  try {
    const script = "redis.call('set', KEYS[1], 1, 'px', 1000) return redis.call('del', KEYS[1])";
    await withRedis(url, (client) => client.eval(script, 1, key));
  } catch (error) {
    throw new StackError(
      `REDIS_URL: ${reason(error)}. The stack uses only keys that begin with "${keyPrefix}" there, and needs scripts (EVAL) on them`,
    );
  }
}

export async function removeKeys(url: string, keyPrefix: string): Promise<void> {
  await withRedis(url, async (client) => {
    let cursor = '0';
    do {
      const [next, keys] = await client.scan(cursor, 'MATCH', `${keyPrefix}*`, 'COUNT', 500);
      if (keys.length > 0) await client.del(...keys);
      cursor = next;
    } while (cursor !== '0');
  });
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError) return error.errors.map(reason).join('; ');
  return error.message;
}

const externalResource = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('database'), url: z.string() }),
  z.object({ kind: z.literal('redis-keys'), url: z.string(), prefix: z.string() }),
  z.object({ kind: z.literal('containers') }),
]);

export type ExternalResource = z.infer<typeof externalResource>;

function fileIn(directory: string): string {
  return path.join(directory, 'external-resources.json');
}

/** Records what a stack creates outside its directory, so that it can be removed with the stack's data. */
export function recordExternalResource(directory: string, made: ExternalResource): void {
  const known = readJson(fileIn(directory), z.array(externalResource)) ?? [];
  if (known.some((other) => JSON.stringify(other) === JSON.stringify(made))) return;
  writePrivateJson(fileIn(directory), [...known, made]);
}

/** Removes everything that the stack of the directory has created elsewhere. Rejects if a server is unreachable. */
export async function removeExternalResources(directory: string): Promise<void> {
  for (const made of readJson(fileIn(directory), z.array(externalResource)) ?? []) {
    switch (made.kind) {
      case 'database':
        await dropOwnDatabase(made.url);
        break;
      case 'redis-keys':
        await removeKeys(made.url, made.prefix);
        break;
      case 'containers':
        await createDockerServices(directory).stop({ withData: true });
        break;
    }
  }
}

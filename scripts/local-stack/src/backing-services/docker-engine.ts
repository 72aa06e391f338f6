import { createHash } from 'node:crypto';
import path from 'node:path';
import { lastLines, runCommand } from '../run-command.js';
import { StackError } from '../stack-error.js';
import { PROJECT_ROOT } from '../project-root.js';
import { BACKING_SERVICES, type BackingService } from './backing-service.js';

export type DockerServices = ReturnType<typeof createDockerServices>;

export const DOCKER_URLS: Readonly<Record<BackingService, (port: number) => string>> = {
  postgres: (port) => `postgres://partner:partner@127.0.0.1:${port}/partner`,
  rabbitmq: (port) => `amqp://partner:partner@127.0.0.1:${port}`,
  redis: (port) => `redis://127.0.0.1:${port}/0`,
};

/** The containers of one stack; a part of their names is unique to its directory. */
export function createDockerServices(directory: string) {
  const name = `partner-${createHash('sha256').update(directory).digest('hex').slice(0, 8)}`;
  const project = ['--project-name', name, '--file', path.join(PROJECT_ROOT, 'docker-compose.yml')];
  const compose = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    runCommand('docker', ['compose', ...project, ...args], {
      cwd: PROJECT_ROOT,
      env: { ...process.env, ...env },
    });
  return {
    async isUsable() {
      const succeeds = async (...args: string[]) =>
        (await runCommand('docker', args, { env: process.env, timeoutMs: 10_000 })).exitCode === 0;
      return (await succeeds('info')) && (await succeeds('compose', 'version'));
    },
    /** Starts them on these ports of loopback and resolves once they are healthy. Leaves running ones as they are. */
    async start(ports: Readonly<Partial<Record<BackingService, number>>>) {
      const services = BACKING_SERVICES.filter((service) => ports[service] !== undefined);
      const variables = services.map(
        (service) => [`${service.toUpperCase()}_PORT`, String(ports[service])] as const,
      );
      const result = await compose(['up', '--detach', '--wait', ...services], Object.fromEntries(variables));
      if (result.exitCode !== 0) {
        throw new StackError(`Docker could not start ${services.join(', ')}:\n${lastLines(result)}`);
      }
    },
    async stop({ withData }: { readonly withData: boolean }) {
      const result = await compose(['down', '--remove-orphans', ...(withData ? ['--volumes'] : [])]);
      if (result.exitCode !== 0) {
        throw new StackError(`Docker could not stop the services of the stack:\n${lastLines(result)}`);
      }
    },
  };
}

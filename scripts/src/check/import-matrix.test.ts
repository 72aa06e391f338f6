import { describe, expect, test } from '@jest/globals';
import { findForbiddenImports } from './import-matrix.js';

const reasons = (file: string, specifier: string) =>
  findForbiddenImports(file, `import { x } from '${specifier}';`).map((found) => found.reason);

describe('the import matrix', () => {
  test.each([
    ['services/job-state/src/main.ts', '@partner/kernel/service'],
    ['services/job-state/src/main.ts', '@partner/proto-contracts/topology'],
    ['services/kernel/src/amqp/publisher.ts', 'amqplib'],
    ['services/kernel/src/amqp/publisher.ts', '@partner/proto-contracts/topology'],
    ['services/job-state/src/database/database.ts', 'pg'],
    ['services/job-state/src/jobs/feed.ts', '../database/database.js'],
    ['services/console/src/sessions/session-store.ts', 'ioredis'],
    ['services/system-tests/src/main-job.sys.test.ts', '@partner/local-stack/stack'],
    ['services/system-tests/src/receiver-code.int.test.ts', '@partner/webhook-dispatcher/sign'],
    ['services/console/src/main.ts', 'node:fs'],
  ])('lets %s import %s', (file, specifier) => {
    expect(reasons(file, specifier)).toEqual([]);
  });

  test.each([
    ['proto-contracts/src/topology.ts', '@partner/kernel/logger', 'proto-contracts may not import kernel'],
    ['services/kernel/src/service.ts', '@partner/job-state/main', 'kernel may not import job-state'],
    ['services/kernel/src/service.ts', '@partner/gateway-kit/http-app', 'kernel may not import gateway-kit'],
    [
      'services/job-state/src/main.ts',
      '@partner/gateway-kit/http-app',
      'job-state may not import gateway-kit',
    ],
    ['services/console/src/app.ts', '@partner/test-kit/recorder', 'only tests may import test-kit'],
    ['services/console/src/app.ts', '@partner/job-state/jobs/feed', 'console may not import job-state'],
    [
      'services/console/src/app.ts',
      '../../job-state/src/jobs/feed.js',
      'reaches into another package by path',
    ],
    ['services/console/src/app.ts', 'pg', 'pg may only be imported in'],
    ['services/gateway-kit/src/http-app.ts', 'knex', 'knex may only be imported in'],
    ['services/inbound-gateway/src/main.ts', 'amqplib', 'amqplib may only be imported in'],
    ['services/webhook-dispatcher/src/main.ts', 'ioredis', 'ioredis may only be imported in'],
    ['services/job-state/src/main.ts', '@partner/local-stack/stack', 'job-state may not import local-stack'],
  ])('does not let %s import %s', (file, specifier, reason) => {
    expect(reasons(file, specifier)).toEqual([expect.stringContaining(reason)]);
  });

  test('sees exports, dynamic imports and type imports too', () => {
    const text = `export { x } from 'amqplib'; await import('pg'); import type { Redis } from 'ioredis';`;
    expect(
      findForbiddenImports('services/console/src/main.ts', text).map((found) => found.specifier),
    ).toEqual(['amqplib', 'pg', 'ioredis']);
  });
});

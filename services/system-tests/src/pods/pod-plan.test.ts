import { expect, test } from '@jest/globals';
import { kubernetesObject } from '@partner/deployment/kubernetes-object';
import { planPod } from './pod-plan.js';

const IMAGE = {
  entrypoint: ['/nodejs/bin/node'],
  cmd: ['dist/main.js'],
  workdir: '/app/services/console',
  env: { NODE_ENV: 'production' },
  user: '65532:65532',
};
const SECRETS = { secrets: { BROKER: 'amqp://broker' } };

function plan(container: Readonly<Record<string, unknown>>, pod: Readonly<Record<string, unknown>> = {}) {
  const objects = [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'console' },
      spec: {
        template: {
          metadata: {},
          spec: { ...pod, containers: [{ name: 'console', image: 'partner/console:1', ...container }] },
        },
      },
    },
  ].map((object) => kubernetesObject.parse(object));
  return planPod(objects, { kind: 'Deployment', name: 'console' }, IMAGE, SECRETS);
}

test('the command is the one of the image, unless the container has arguments or a command of its own', () => {
  expect(plan({}).command).toEqual(['/nodejs/bin/node', 'dist/main.js']);
  expect(plan({ args: ['dist/migrate.js'] }).command).toEqual(['/nodejs/bin/node', 'dist/migrate.js']);
  expect(plan({ command: ['sh'] }).command).toEqual(['sh']);
});

test('variables come from the image, then from the container and its secrets', () => {
  const { env } = plan({
    env: [
      { name: 'HTTP_PORT', value: '8080' },
      { name: 'AMQP_URL', valueFrom: { secretKeyRef: { name: 'secrets', key: 'BROKER' } } },
      {
        name: 'SMTP_URL',
        valueFrom: { secretKeyRef: { name: 'secrets', key: 'MAIL', optional: true } },
      },
      { name: 'ADDRESS', value: 'host:$(HTTP_PORT)/$(NOBODY)' },
      { name: 'NODE_ENV', value: 'other' },
    ],
  });
  expect(env).toEqual({
    HTTP_PORT: '8080',
    AMQP_URL: 'amqp://broker',
    ADDRESS: 'host:8080/$(NOBODY)',
    NODE_ENV: 'other',
  });
});

test.each([
  ['a secret that is not there', { env: [secretVariable('none', 'BROKER')] }, {}, 'there is no secret none'],
  ['a key that is not there', { env: [secretVariable('secrets', 'OTHER')] }, {}, 'has no key OTHER'],
  [
    'root',
    { securityContext: { runAsUser: 0 } },
    { securityContext: { runAsNonRoot: true } },
    'would run as root',
  ],
  ['a mount without a volume', { volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }] }, {}, 'no volume tmp'],
])('what no kubelet would run is refused: %s', (_what, container, pod, message) => {
  expect(() => plan(container, pod)).toThrow(message);
});

test('the container has its way over the pod, and the image fills the gaps', () => {
  const chosen = plan(
    { securityContext: { runAsUser: 7 } },
    { securityContext: { runAsUser: 5, runAsGroup: 6 } },
  );
  expect(chosen).toMatchObject({ uid: 7, gid: 6, readOnlyRoot: false, noNewPrivileges: false });
  expect(plan({})).toMatchObject({
    uid: 65_532,
    gid: 65_532,
    preStopSeconds: 0,
    terminationGraceSeconds: 30,
  });
});

function secretVariable(name: string, key: string) {
  return { name: 'AMQP_URL', valueFrom: { secretKeyRef: { name, key } } };
}

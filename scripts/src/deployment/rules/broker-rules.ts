import { QUEUES } from '@partner/proto-contracts/topology';
import { z } from 'zod';
import { kubernetesObject } from '../kubernetes-object.js';
import { type DeploymentRule, ofKind, when } from './deployment-rule.js';

const scaledObject = kubernetesObject.extend({
  spec: z.looseObject({
    triggers: z.array(z.looseObject({ type: z.string(), metadata: z.record(z.string(), z.string()) })),
  }),
});

/** How the work that waits at the broker makes more replicas. */
export const BROKER_RULES: readonly DeploymentRule[] = [
  {
    name: 'replicas are counted by queues that exist, unacknowledged messages included',
    faults: (rendered) =>
      ofKind(rendered, 'ScaledObject', scaledObject).flatMap(({ metadata, spec }) =>
        spec.triggers
          .filter(({ type }) => type === 'rabbitmq')
          .flatMap(({ metadata: { queueName = '', protocol, host } }) => [
            ...when(
              !QUEUES.some(({ name }) => name === queueName),
              `ScaledObject ${metadata.name}: there is no queue ${queueName}`,
            ),
            ...when(
              protocol !== 'http',
              `ScaledObject ${metadata.name}: over AMQP the broker does not count what is not acknowledged`,
            ),
            ...when(
              host !== undefined,
              `ScaledObject ${metadata.name}: the host, with its password, stands in the object`,
            ),
          ]),
      ),
  },
];

import { ScaledObject, TriggerAuthentication } from '@kubernetes-models/keda/keda.sh/v1alpha1';
import { QUEUES } from '@partner/proto-contracts/topology';
import { type DeploymentRule, objectsOf, when } from './deployment-rule.js';

/** Rules about scaling by the work that waits at the broker. */
export const BROKER_RULES: readonly DeploymentRule[] = [
  {
    name: 'replicas are counted by queues that exist, unacknowledged messages included',
    violations: (rendered) =>
      objectsOf(rendered, ScaledObject.is).flatMap(({ metadata, spec }) =>
        spec.triggers
          .filter(({ type }) => type === 'rabbitmq')
          .flatMap(({ metadata: { queueName = '', protocol, host } }) =>
            when({
              [`ScaledObject ${metadata.name}: there is no queue ${queueName}`]: !QUEUES.some(
                ({ name }) => name === queueName,
              ),
              [`ScaledObject ${metadata.name}: over AMQP the broker does not count unacknowledged messages`]:
                protocol !== 'http',
              [`ScaledObject ${metadata.name}: the host, with its password, is in the object`]:
                host !== undefined,
            }),
          ),
      ),
  },
  {
    name: 'KEDA checks the certificate of the broker, against a private CA if there is one',
    violations: (rendered) => [
      ...objectsOf(rendered, ScaledObject.is).flatMap(({ metadata, spec }) =>
        when({
          [`ScaledObject ${metadata.name}: unsafeSsl leaves the certificate unchecked`]: spec.triggers.some(
            (trigger) => trigger.metadata['unsafeSsl'] !== undefined,
          ),
        }),
      ),
      ...objectsOf(rendered, TriggerAuthentication.is).flatMap(({ metadata, spec }) => {
        const parameters = (spec.secretTargetRef ?? []).map(({ parameter }) => parameter);
        return when({
          [`TriggerAuthentication ${metadata.name}: KEDA ignores ca without tls`]:
            parameters.includes('ca') && !parameters.includes('tls'),
        });
      }),
    ],
  },
];

import { ScaledObject, TriggerAuthentication } from '@kubernetes-models/keda/keda.sh/v1alpha1';
import { QUEUES } from '@partner/proto-contracts/topology';
import { type DeploymentRules, objectsOf } from './deployment-rule.js';

/** Rules about scaling by the work that waits at the broker. */
export const BROKER_RULES: DeploymentRules = {
  *'replicas are counted by queues that exist, unacknowledged messages included'(rendered) {
    for (const { metadata, spec } of objectsOf(rendered, ScaledObject.is)) {
      const title = `ScaledObject ${metadata.name}`;
      for (const trigger of spec.triggers.filter(({ type }) => type === 'rabbitmq')) {
        const { queueName = '', protocol, host } = trigger.metadata;
        if (!QUEUES.some(({ name }) => name === queueName)) yield `${title}: there is no queue ${queueName}`;
        if (protocol !== 'http')
          yield `${title}: over AMQP the broker does not count unacknowledged messages`;
        if (host !== undefined) yield `${title}: the host, with its password, is in the object`;
      }
    }
  },
  *'KEDA checks the certificate of the broker, against a private CA if there is one'(rendered) {
    for (const { metadata, spec } of objectsOf(rendered, ScaledObject.is))
      if (spec.triggers.some((trigger) => trigger.metadata['unsafeSsl'] !== undefined))
        yield `ScaledObject ${metadata.name}: unsafeSsl leaves the certificate unchecked`;
    for (const { metadata, spec } of objectsOf(rendered, TriggerAuthentication.is)) {
      const parameters = (spec.secretTargetRef ?? []).map(({ parameter }) => parameter);
      if (parameters.includes('ca') && !parameters.includes('tls'))
        yield `TriggerAuthentication ${metadata.name}: KEDA ignores ca without tls`;
    }
  },
};

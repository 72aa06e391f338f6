import { z } from 'zod';
import { PROGRAM_NAMES, settingsOf } from '../declared-settings.js';
import { kubernetesObject } from '../kubernetes-object.js';
import {
  containersOf,
  deploymentsOf,
  type DeploymentRule,
  ofKind,
  serviceContainer,
  when,
} from './deployment-rule.js';
import { environmentOf, textOf } from './environment-of.js';

const SECRETS = PROGRAM_NAMES.flatMap((program) =>
  settingsOf(program).settings.filter(({ schema }) => schema.isSecret === true),
);

const isSecret = (name: string) => SECRETS.some((secret) => secret.name === name);

/** Whether a service does without a secret: a release over a Kubernetes secret from before it starts. */
const isOptional = (name: string) => SECRETS.some((secret) => secret.name === name && !secret.isRequired);

/** `name:password@` of a URL, or a pair of a key's id and 32 bytes in base64. */
const SECRET_TEXT = /:\/\/[^/\s:@]*:[^/\s@]+@|[A-Za-z0-9+/]{43}=/;

/** What stands before the keys in Redis unless something else is set. */
const PREFIX_OF_PRODUCTION = 'partner:';

const podAutoscaler = kubernetesObject.extend({ spec: z.looseObject({ maxReplicas: z.number() }) });

const configMap = kubernetesObject.extend({ data: z.record(z.string(), z.string()).default({}) });

/** What a service is told, and how it is not told secrets. */
export const SETTINGS_RULES: readonly DeploymentRule[] = [
  {
    name: 'secrets come from secrets that exist, never out of the chart',
    faults: (rendered) => [
      ...ofKind(rendered, 'Secret', kubernetesObject).map(
        ({ metadata }) => `the chart makes a Secret: ${metadata.name}`,
      ),
      ...containersOf(rendered).flatMap(({ title, container }) =>
        [...environmentOf(container, rendered)].flatMap(([name, source]) => [
          ...when(
            isSecret(name) && source.from !== 'secret',
            `${title}: ${name} does not come from a secret`,
          ),
          ...when(
            source.from === 'secret' && source.optional !== isOptional(name),
            source.from === 'secret' && source.optional
              ? `${title}: the pod starts although the secret of ${name} is not there`
              : `${title}: the pod does not start without the secret of ${name}, which is optional`,
          ),
        ]),
      ),
    ],
  },
  {
    name: 'no secret stands in a config map or in plain text',
    faults: (rendered) => [
      ...ofKind(rendered, 'ConfigMap', configMap).flatMap(({ metadata, data }) =>
        Object.entries(data)
          .filter(([name, value]) => isSecret(name) || SECRET_TEXT.test(value))
          .map(([name]) => `ConfigMap ${metadata.name} holds what looks like a secret: ${name}`),
      ),
      ...containersOf(rendered).flatMap(({ title, container }) =>
        [...environmentOf(container, rendered)].flatMap(([name, source]) =>
          when(
            source.from === 'value' && SECRET_TEXT.test(source.value),
            `${title}: ${name} looks like a secret in plain text`,
          ),
        ),
      ),
    ],
  },
  {
    name: 'pods are made anew when their config map changes',
    faults: (rendered) => {
      const usesMap = serviceContainer(rendered).envFrom.some(
        ({ configMapRef }) => configMapRef !== undefined,
      );
      const [deployment] = deploymentsOf(rendered);
      const checksum = deployment?.spec.template.metadata.annotations['checksum/config'] ?? '';
      return when(usesMap && !/^[0-9a-f]{64}$/.test(checksum), 'the pods have no annotation checksum/config');
    },
  },
  {
    name: 'replicas that count for themselves accept no more than the limit together',
    faults: (rendered) => {
      const share = textOf(environmentOf(serviceContainer(rendered), rendered), 'RATE_LIMIT_REPLICAS');
      if (share === undefined) return [];
      const most = [
        ...deploymentsOf(rendered).map(({ spec }) => spec.replicas ?? 1),
        ...ofKind(rendered, 'HorizontalPodAutoscaler', podAutoscaler).map(({ spec }) => spec.maxReplicas),
      ];
      return when(
        Number(share) < Math.max(...most),
        `RATE_LIMIT_REPLICAS is ${share}, and there can be ${Math.max(...most)} replicas`,
      );
    },
  },
  {
    name: 'sessions and counters of the sandbox are apart from those of production',
    faults: (rendered) => {
      const variables = environmentOf(serviceContainer(rendered), rendered);
      const prefix = textOf(variables, 'REDIS_KEY_PREFIX');
      return when(
        !rendered.isDevelopment &&
          prefix !== undefined &&
          (textOf(variables, 'PARTNER_ENVIRONMENT') === 'production') !== (prefix === PREFIX_OF_PRODUCTION),
        `REDIS_KEY_PREFIX is ${prefix ?? ''} in ${textOf(variables, 'PARTNER_ENVIRONMENT') ?? ''}`,
      );
    },
  },
];

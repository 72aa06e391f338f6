import { Secret } from 'kubernetes-models/v1';
import { PROGRAM_NAMES, settingsOf } from '../declared-settings.js';
import { containersOf, type DeploymentRule, objectsOf, serviceContainer, when } from './deployment-rule.js';
import { environmentOf, textOf } from './environment-of.js';

const SECRETS = PROGRAM_NAMES.flatMap((program) =>
  settingsOf(program).settings.filter(({ schema }) => schema.isSecret === true),
);

const isSecret = (name: string) => SECRETS.some((secret) => secret.name === name);

/** Whether a service starts without a secret, so that a release works with an older Kubernetes secret. */
const isOptional = (name: string) => SECRETS.some((secret) => secret.name === name && !secret.isRequired);

/** `name:password@` of a URL, or a pair of a key's id and 32 bytes in base64. */
const SECRET_TEXT = /:\/\/[^/\s:@]*:[^/\s@]+@|[A-Za-z0-9+/]{43}=/;

/** The default prefix of the keys in Redis. */
const PREFIX_OF_PRODUCTION = 'partner:';

/** Rules about the settings and secrets of a service. */
export const SETTINGS_RULES: readonly DeploymentRule[] = [
  {
    name: 'secrets come from existing Kubernetes secrets, never from the chart',
    violations: (rendered) => [
      ...objectsOf(rendered, Secret.is).map(({ metadata }) => `the chart creates a Secret: ${metadata.name}`),
      ...containersOf(rendered).flatMap(({ title, container }) =>
        [...environmentOf(container)].flatMap(([name, source]) =>
          when({
            [`${title}: ${name} does not come from a secret`]: isSecret(name) && source.from !== 'secret',
            [source.from === 'secret' && source.optional
              ? `${title}: the pod starts although the secret of ${name} is not there`
              : `${title}: the pod does not start without the secret of ${name}, which is optional`]:
              source.from === 'secret' && source.optional !== isOptional(name),
          }),
        ),
      ),
    ],
  },
  {
    name: 'no secret is in plain text',
    violations: (rendered) =>
      containersOf(rendered).flatMap(({ title, container }) =>
        [...environmentOf(container)].flatMap(([name, source]) =>
          when({
            [`${title}: ${name} looks like a secret in plain text`]:
              source.from === 'value' && SECRET_TEXT.test(source.value),
          }),
        ),
      ),
  },
  {
    name: 'settings are in the pod template, so that a pod of the old version keeps its own',
    violations: (rendered) =>
      containersOf(rendered).flatMap(({ title, container: { env = [], envFrom = [] } }) => [
        ...when({ [`${title} reads a whole ConfigMap or Secret`]: envFrom.length > 0 }),
        ...env
          .filter(({ valueFrom }) => valueFrom !== undefined && valueFrom.secretKeyRef === undefined)
          .map(({ name }) => `${title}: ${name} comes neither from the template nor from a secret`),
      ]),
  },
  {
    name: 'sessions and counters of the sandbox are separate from those of production',
    violations: (rendered) => {
      const variables = environmentOf(serviceContainer(rendered));
      const prefix = textOf(variables, 'REDIS_KEY_PREFIX');
      return when({
        [`REDIS_KEY_PREFIX is ${prefix ?? ''} in ${textOf(variables, 'PARTNER_ENVIRONMENT') ?? ''}`]:
          !rendered.isDevelopment &&
          prefix !== undefined &&
          (textOf(variables, 'PARTNER_ENVIRONMENT') === 'production') !== (prefix === PREFIX_OF_PRODUCTION),
      });
    },
  },
];

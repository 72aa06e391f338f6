import { Secret } from 'kubernetes-models/v1';
import { PROGRAM_NAMES, settingsOf } from '../declared-settings.js';
import { containersOf, type DeploymentRules, objectsOf, serviceContainer } from './deployment-rule.js';
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
export const SETTINGS_RULES: DeploymentRules = {
  *'secrets come from existing Kubernetes secrets, never from the chart'(rendered) {
    for (const { metadata } of objectsOf(rendered, Secret.is))
      yield `the chart creates a Secret: ${metadata.name}`;
    for (const { title, container } of containersOf(rendered)) {
      for (const [name, source] of environmentOf(container)) {
        if (isSecret(name) && source.from !== 'secret') yield `${title}: ${name} does not come from a secret`;
        if (source.from === 'secret' && source.optional !== isOptional(name))
          yield source.optional
            ? `${title}: the pod starts although the secret of ${name} is not there`
            : `${title}: the pod does not start without the secret of ${name}, which is optional`;
      }
    }
  },
  *'no secret is in plain text'(rendered) {
    for (const { title, container } of containersOf(rendered))
      for (const [name, source] of environmentOf(container))
        if (source.from === 'value' && SECRET_TEXT.test(source.value))
          yield `${title}: ${name} looks like a secret in plain text`;
  },
  *'settings are in the pod template, so that a pod of the old version keeps its own'(rendered) {
    for (const { title, container } of containersOf(rendered)) {
      if ((container.envFrom ?? []).length > 0) yield `${title} reads a whole ConfigMap or Secret`;
      for (const { name, valueFrom } of container.env ?? [])
        if (valueFrom !== undefined && valueFrom.secretKeyRef === undefined)
          yield `${title}: ${name} comes neither from the template nor from a secret`;
    }
  },
  *'sessions and counters of the sandbox are separate from those of production'(rendered) {
    const variables = environmentOf(serviceContainer(rendered));
    const prefix = textOf(variables, 'REDIS_KEY_PREFIX');
    const environment = textOf(variables, 'PARTNER_ENVIRONMENT');
    if (rendered.isDevelopment || prefix === undefined) return;
    if ((environment === 'production') !== (prefix === PREFIX_OF_PRODUCTION))
      yield `REDIS_KEY_PREFIX is ${prefix} in ${environment ?? ''}`;
  },
};

import { NAMESPACE } from '../chart-workspace.js';
import { type DeploymentRule, when } from './deployment-rule.js';

const LABELS = ['name', 'instance', 'managed-by', 'part-of'].map((label) => `app.kubernetes.io/${label}`);

/** Rules for every object. */
export const OBJECT_RULES: readonly DeploymentRule[] = [
  {
    name: 'every object names its release, is in the namespace of the release, and is unique',
    violations: ({ objects }) => {
      const titles = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
      return objects.flatMap(({ metadata }, at) => {
        const title = titles[at] ?? '';
        return [
          ...when({
            [`${title} is not in the namespace of the release`]: metadata.namespace !== NAMESPACE,
            [`${title} is rendered twice`]: titles.indexOf(title) !== at,
          }),
          ...LABELS.flatMap((label) =>
            when({ [`${title} has no label ${label}`]: metadata.labels[label] === undefined }),
          ),
          ...when({ [`${title}: its name is longer than 63 characters`]: metadata.name.length > 63 }),
        ];
      });
    },
  },
];

import { NAMESPACE } from '../chart-workspace.js';
import { type DeploymentRule, when } from './deployment-rule.js';

const LABELS = ['name', 'instance', 'managed-by', 'part-of'].map((label) => `app.kubernetes.io/${label}`);

/** What holds for every object. */
export const OBJECT_RULES: readonly DeploymentRule[] = [
  {
    name: 'every object says whose it is, is in the namespace of the release, and there once',
    faults: ({ objects }) => {
      const titles = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
      return objects.flatMap(({ metadata }, at) => {
        const title = titles[at] ?? '';
        return [
          ...when(metadata.namespace !== NAMESPACE, `${title} is not in the namespace of the release`),
          ...when(titles.indexOf(title) !== at, `${title} is made twice`),
          ...LABELS.flatMap((label) =>
            when(metadata.labels[label] === undefined, `${title} has no label ${label}`),
          ),
          ...when(metadata.name.length > 63, `${title}: its name is longer than 63 characters`),
        ];
      });
    },
  },
];

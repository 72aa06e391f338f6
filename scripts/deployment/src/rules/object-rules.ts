import { NAMESPACE } from '../chart-workspace.js';
import type { DeploymentRules } from './deployment-rule.js';

const LABELS = ['name', 'instance', 'managed-by', 'part-of'].map((label) => `app.kubernetes.io/${label}`);

/** Rules for every object. */
export const OBJECT_RULES: DeploymentRules = {
  *'every object names its release, is in the namespace of the release, and is unique'({ objects }) {
    const seen = new Set<string>();
    for (const { kind, metadata } of objects) {
      const title = `${kind} ${metadata.name}`;
      if (metadata.namespace !== NAMESPACE) yield `${title} is not in the namespace of the release`;
      if (seen.has(title)) yield `${title} is rendered twice`;
      seen.add(title);
      for (const label of LABELS)
        if (metadata.labels[label] === undefined) yield `${title} has no label ${label}`;
      if (metadata.name.length > 63) yield `${title}: its name is longer than 63 characters`;
    }
  },
};

import { ServiceAccount } from 'kubernetes-models/v1';
import { containersOf, type DeploymentRules, objectsOf, podsOf } from './deployment-rule.js';
import { environmentOf, textOf } from './environment-of.js';
import { parseQuantity } from './parse-quantity.js';

const RESTRICTED_VOLUMES = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
];

/** Rules for every pod, also of hooks and of the development parts. */
export const POD_RULES: DeploymentRules = {
  *'every pod is valid by the Pod Security Standard "restricted"'(rendered) {
    for (const { title, spec } of podsOf(rendered)) {
      if (spec.hostNetwork === true || spec.hostPID === true || spec.hostIPC === true)
        yield `${title} shares the host's network, processes or memory`;
      for (const { name, ...kinds } of spec.volumes ?? [])
        if (!Object.keys(kinds).every((kind) => RESTRICTED_VOLUMES.includes(kind)))
          yield `${title}: volume ${name} is of a kind that is not allowed`;
    }
    for (const { title, container, spec } of containersOf(rendered)) {
      const own = container.securityContext ?? {};
      const all = spec.securityContext ?? {};
      const { drop = [], add = [] } = own.capabilities ?? {};
      if ((own.runAsNonRoot ?? all.runAsNonRoot) !== true) yield `${title}: runAsNonRoot is not true`;
      if ((own.runAsUser ?? all.runAsUser ?? 0) === 0)
        yield `${title}: runAsUser is not the number of a user other than root`;
      if ((own.seccompProfile ?? all.seccompProfile)?.type !== 'RuntimeDefault')
        yield `${title}: seccompProfile is not RuntimeDefault`;
      if (own.allowPrivilegeEscalation !== false || own.privileged === true)
        yield `${title}: allowPrivilegeEscalation is not false`;
      if (!drop.includes('ALL') || add.length > 0) yield `${title}: not all capabilities are dropped`;
    }
  },
  *'no container can change its file system'(rendered) {
    for (const { title, container } of containersOf(rendered))
      if (container.securityContext?.readOnlyRootFilesystem !== true)
        yield `${title}: readOnlyRootFilesystem is not true`;
  },
  *'no pod gets a token of the service account'(rendered) {
    const accounts = objectsOf(rendered, ServiceAccount.is).map((account) => ({
      title: `ServiceAccount ${account.metadata.name}`,
      spec: account,
    }));
    for (const { title, spec } of [...podsOf(rendered), ...accounts])
      if (spec.automountServiceAccountToken !== false)
        yield `${title}: automountServiceAccountToken is not false`;
  },
  *'every container has requests, and a memory limit'(rendered) {
    for (const { title, container } of containersOf(rendered)) {
      const { requests = {}, limits = {} } = container.resources ?? {};
      for (const name of ['cpu', 'memory'])
        if (requests[name] === undefined) yield `${title} requests no ${name}`;
      if (limits['memory'] === undefined) yield `${title} has no limit of memory`;
      if (parseQuantity(requests['memory'] ?? 0) > parseQuantity(limits['memory'] ?? '1Gi'))
        yield `${title} requests more memory than its limit`;
    }
  },
  *"Node's heap fits into the memory limit"(rendered) {
    for (const { title, container } of containersOf(rendered)) {
      if (container.name !== rendered.service) continue;
      const options = textOf(environmentOf(container), 'NODE_OPTIONS') ?? '';
      const [, heap = ''] = /--max-old-space-size=(\d+)/.exec(options) ?? [];
      const limit = parseQuantity(container.resources?.limits?.['memory'] ?? 0) / 2 ** 20;
      if (heap === '') yield `${title}: NODE_OPTIONS does not contain --max-old-space-size`;
      if (Number(heap) > 0.85 * limit)
        yield `${title}: a heap of ${heap} MiB leaves less than 15 % of ${limit} MiB for the rest`;
    }
  },
  *'every image is pinned'(rendered) {
    for (const { title, container } of containersOf(rendered)) {
      const { image = '' } = container;
      if (
        !/^[^:@]+(:\d+)?[^:@]*(:[^:@]+)?(@sha256:[0-9a-f]{64})?$/.test(image) ||
        !/(:[\w][\w.-]*|@sha256:[0-9a-f]{64})$/.test(image) ||
        /:latest$/.test(image)
      )
        yield `${title}: ${image} names no version`;
    }
  },
};

import { ServiceAccount } from 'kubernetes-models/v1';
import { containersOf, type DeploymentRule, objectsOf, podsOf, when } from './deployment-rule.js';
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
export const POD_RULES: readonly DeploymentRule[] = [
  {
    name: 'every pod is valid by the Pod Security Standard "restricted"',
    violations: (rendered) => [
      ...podsOf(rendered).flatMap(({ title, spec }) => [
        ...when({
          [`${title} shares the host's network, processes or memory`]:
            spec.hostNetwork === true || spec.hostPID === true || spec.hostIPC === true,
        }),
        ...(spec.volumes ?? []).flatMap(({ name, ...kinds }) =>
          when({
            [`${title}: volume ${name} is of a kind that is not allowed`]: !Object.keys(kinds).every((kind) =>
              RESTRICTED_VOLUMES.includes(kind),
            ),
          }),
        ),
      ]),
      ...containersOf(rendered).flatMap(({ title, container, spec }) => {
        const own = container.securityContext ?? {};
        const all = spec.securityContext ?? {};
        const { drop = [], add = [] } = own.capabilities ?? {};
        return when({
          [`${title}: runAsNonRoot is not true`]: (own.runAsNonRoot ?? all.runAsNonRoot) !== true,
          [`${title}: runAsUser is not the number of a user other than root`]:
            (own.runAsUser ?? all.runAsUser ?? 0) === 0,
          [`${title}: seccompProfile is not RuntimeDefault`]:
            (own.seccompProfile ?? all.seccompProfile)?.type !== 'RuntimeDefault',
          [`${title}: allowPrivilegeEscalation is not false`]:
            own.allowPrivilegeEscalation !== false || own.privileged === true,
          [`${title}: not all capabilities are dropped`]: !drop.includes('ALL') || add.length > 0,
        });
      }),
    ],
  },
  {
    name: 'no container can change its file system',
    violations: (rendered) =>
      containersOf(rendered).flatMap(({ title, container }) =>
        when({
          [`${title}: readOnlyRootFilesystem is not true`]:
            container.securityContext?.readOnlyRootFilesystem !== true,
        }),
      ),
  },
  {
    name: 'no pod gets a token of the service account',
    violations: (rendered) => [
      ...podsOf(rendered).flatMap(({ title, spec }) =>
        when({
          [`${title}: automountServiceAccountToken is not false`]:
            spec.automountServiceAccountToken !== false,
        }),
      ),
      ...objectsOf(rendered, ServiceAccount.is).flatMap((account) =>
        when({
          [`ServiceAccount ${account.metadata.name}: automountServiceAccountToken is not false`]:
            account.automountServiceAccountToken !== false,
        }),
      ),
    ],
  },
  {
    name: 'every container has requests, and a memory limit',
    violations: (rendered) =>
      containersOf(rendered).flatMap(({ title, container: { resources } }) => {
        const requested = resources?.requests ?? {};
        const limited = resources?.limits ?? {};
        return [
          ...['cpu', 'memory'].flatMap((name) =>
            when({ [`${title} requests no ${name}`]: requested[name] === undefined }),
          ),
          ...when({
            [`${title} has no limit of memory`]: limited['memory'] === undefined,
            [`${title} requests more memory than its limit`]:
              parseQuantity(requested['memory'] ?? 0) > parseQuantity(limited['memory'] ?? '1Gi'),
          }),
        ];
      }),
  },
  {
    name: "Node's heap fits into the memory limit",
    violations: (rendered) =>
      containersOf(rendered)
        .filter(({ container }) => container.name === rendered.service)
        .flatMap(({ title, container }) => {
          const options = textOf(environmentOf(container), 'NODE_OPTIONS') ?? '';
          const [, heap = ''] = /--max-old-space-size=(\d+)/.exec(options) ?? [];
          const limit = parseQuantity(container.resources?.limits?.['memory'] ?? 0) / 2 ** 20;
          return when({
            [`${title}: NODE_OPTIONS does not contain --max-old-space-size`]: heap === '',
            [`${title}: a heap of ${heap} MiB leaves less than 15 % of ${limit} MiB for the rest`]:
              Number(heap) > 0.85 * limit,
          });
        }),
  },
  {
    name: 'every image is pinned',
    violations: (rendered) =>
      containersOf(rendered).flatMap(({ title, container: { image = '' } }) =>
        when({
          [`${title}: ${image} names no version`]:
            !/^[^:@]+(:\d+)?[^:@]*(:[^:@]+)?(@sha256:[0-9a-f]{64})?$/.test(image) ||
            !/(:[\w][\w.-]*|@sha256:[0-9a-f]{64})$/.test(image) ||
            /:latest$/.test(image),
        }),
      ),
  },
];

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

/** What every pod keeps, those of hooks and of the development parts too. */
export const POD_RULES: readonly DeploymentRule[] = [
  {
    name: 'every pod is what the Pod Security Standard "restricted" asks',
    faults: (rendered) => [
      ...podsOf(rendered).flatMap(({ title, pod: { spec } }) => [
        ...when(
          spec.hostNetwork === true || spec.hostPID === true || spec.hostIPC === true,
          `${title} shares the host's network, processes or memory`,
        ),
        ...spec.volumes.flatMap(({ name, ...kinds }) =>
          when(
            !Object.keys(kinds).every((kind) => RESTRICTED_VOLUMES.includes(kind)),
            `${title}: volume ${name} is of a kind that is not allowed`,
          ),
        ),
      ]),
      ...containersOf(rendered).flatMap(({ title, container, pod }) => {
        const own = container.securityContext ?? {};
        const all = pod.spec.securityContext ?? {};
        const { drop = [], add = [] } = own.capabilities ?? {};
        return [
          ...when((own.runAsNonRoot ?? all.runAsNonRoot) !== true, `${title}: runAsNonRoot is not true`),
          ...when(
            (own.runAsUser ?? all.runAsUser ?? 0) === 0,
            `${title}: runAsUser is not the number of a user other than root`,
          ),
          ...when(
            (own.seccompProfile ?? all.seccompProfile)?.type !== 'RuntimeDefault',
            `${title}: seccompProfile is not RuntimeDefault`,
          ),
          ...when(
            own.allowPrivilegeEscalation !== false || own.privileged === true,
            `${title}: allowPrivilegeEscalation is not false`,
          ),
          ...when(!drop.includes('ALL') || add.length > 0, `${title}: not all capabilities are dropped`),
        ];
      }),
    ],
  },
  {
    name: 'no container can change its file system',
    faults: (rendered) =>
      containersOf(rendered).flatMap(({ title, container }) =>
        when(
          container.securityContext?.readOnlyRootFilesystem !== true,
          `${title}: readOnlyRootFilesystem is not true`,
        ),
      ),
  },
  {
    name: 'no pod gets a token of the service account',
    faults: (rendered) => [
      ...podsOf(rendered).flatMap(({ title, pod }) =>
        when(
          pod.spec.automountServiceAccountToken !== false,
          `${title}: automountServiceAccountToken is not false`,
        ),
      ),
      ...objectsOf(rendered, ServiceAccount.is).flatMap((account) =>
        when(
          account.automountServiceAccountToken !== false,
          `ServiceAccount ${account.metadata.name}: automountServiceAccountToken is not false`,
        ),
      ),
    ],
  },
  {
    name: 'every container has requests, and a limit of memory',
    faults: (rendered) =>
      containersOf(rendered).flatMap(({ title, container: { resources } }) => {
        const requested = resources?.requests ?? {};
        const limited = resources?.limits ?? {};
        return [
          ...['cpu', 'memory'].flatMap((name) =>
            when(requested[name] === undefined, `${title} requests no ${name}`),
          ),
          ...when(limited['memory'] === undefined, `${title} has no limit of memory`),
          ...when(
            parseQuantity(requested['memory'] ?? '0') > parseQuantity(limited['memory'] ?? '1Gi'),
            `${title} requests more memory than its limit`,
          ),
        ];
      }),
  },
  {
    name: "Node's heap fits into the limit of memory",
    faults: (rendered) =>
      containersOf(rendered)
        .filter(({ container }) => container.name === rendered.service)
        .flatMap(({ title, container }) => {
          const options = textOf(environmentOf(container), 'NODE_OPTIONS') ?? '';
          const [, heap = ''] = /--max-old-space-size=(\d+)/.exec(options) ?? [];
          const limit = parseQuantity(container.resources?.limits['memory'] ?? '0') / 2 ** 20;
          return [
            ...when(heap === '', `${title}: NODE_OPTIONS does not say --max-old-space-size`),
            ...when(
              Number(heap) > 0.85 * limit,
              `${title}: a heap of ${heap} MiB leaves less than 15 % of ${limit} MiB for the rest`,
            ),
          ];
        }),
  },
  {
    name: 'every image is pinned',
    faults: (rendered) =>
      containersOf(rendered).flatMap(({ title, container: { image } }) =>
        when(
          !/^[^:@]+(:\d+)?[^:@]*(:[^:@]+)?(@sha256:[0-9a-f]{64})?$/.test(image) ||
            !/(:[\w][\w.-]*|@sha256:[0-9a-f]{64})$/.test(image) ||
            /:latest$/.test(image),
          `${title}: ${image} names no version`,
        ),
      ),
  },
];

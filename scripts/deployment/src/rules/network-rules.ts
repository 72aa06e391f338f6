import {
  type INetworkPolicy,
  type INetworkPolicyEgressRule,
  type INetworkPolicyPeer,
  NetworkPolicy,
} from 'kubernetes-models/networking.k8s.io/v1';
import { type KubernetesObject, type LabelSelector, selects } from '../kubernetes-object.js';
import type { RefusedRanges } from '../read-refused-ranges.js';
import {
  type DeploymentRule,
  isHook,
  objectsOf,
  podsOf,
  type RenderedChart,
  when,
} from './deployment-rule.js';
import type { ServiceName } from '@partner/local-stack/stack/services';

/** The peers of a pod, and the ports that identify them. */
const DESTINATIONS = {
  DNS: [53, 5353],
  broker: [5671, 5672],
  Redis: [6379, 6380, 26379],
  Postgres: [5432, 6432],
  mail: [465, 587],
  internet: [443],
  'collector of traces': [4317, 4318],
} as const;

type Destination = keyof typeof DESTINATIONS;

/** The allowed peers of each service (spec: only job-state reaches the database, only the dispatcher reaches subscribers' servers). */
const ALLOWED: Readonly<Record<ServiceName, readonly Destination[]>> = {
  'job-state': ['DNS', 'broker', 'Postgres', 'collector of traces'],
  'inbound-gateway': ['DNS', 'broker', 'Redis', 'collector of traces'],
  'installer-gateway': ['DNS', 'broker', 'Redis', 'collector of traces'],
  console: ['DNS', 'broker', 'Redis', 'mail', 'collector of traces'],
  'webhook-dispatcher': ['DNS', 'broker', 'internet', 'collector of traces'],
};

/** The peers that a service cannot work without. */
const NEEDED: Readonly<Record<ServiceName, readonly Destination[]>> = {
  'job-state': ['DNS', 'broker', 'Postgres'],
  'inbound-gateway': ['DNS', 'broker', 'Redis'],
  'installer-gateway': ['DNS', 'broker', 'Redis'],
  console: ['DNS', 'broker', 'Redis', 'mail'],
  'webhook-dispatcher': ['DNS', 'broker', 'internet'],
};

type Policy = KubernetesObject & INetworkPolicy;

const policiesOf = (rendered: RenderedChart): readonly Policy[] => objectsOf(rendered, NetworkPolicy.is);
const egressOf = ({ spec }: Policy) => spec?.egress ?? [];
const ingressOf = ({ spec }: Policy) => spec?.ingress ?? [];
const covers = ({ spec }: Policy, labels: Readonly<Record<string, string>>) =>
  selects(spec?.podSelector ?? {}, labels);

function destinationOf(port: string | number | undefined): Destination | undefined {
  const found = Object.entries(DESTINATIONS).find(([, ports]) => ports.some((known) => known === port));
  return names(DESTINATIONS).find((name) => name === found?.[0]);
}

function names<T extends object>(table: T): readonly Extract<keyof T, string>[] {
  const keys: Extract<keyof T, string>[] = [];
  for (const key in table) keys.push(key);
  return keys;
}

const isEmpty = (selector: LabelSelector | undefined) =>
  selector !== undefined &&
  Object.keys(selector.matchLabels ?? {}).length === 0 &&
  (selector.matchExpressions ?? []).length === 0;

/** Returns whether a peer covers all addresses, or all pods of all namespaces. */
function isEverything({ ipBlock, podSelector, namespaceSelector }: INetworkPolicyPeer): boolean {
  if (ipBlock !== undefined) return ipBlock.cidr.endsWith('/0');
  return isEmpty(namespaceSelector) && (podSelector === undefined || isEmpty(podSelector));
}

const titleOf = ({ metadata }: Policy) => `NetworkPolicy ${metadata.name}`;

/** Rules about the network. The ranges are those that the dispatcher refuses. */
export function createNetworkRules(refused: RefusedRanges): readonly DeploymentRule[] {
  return [
    {
      name: 'no pod may receive or send traffic that no policy allows',
      violations: (rendered) =>
        podsOf(rendered).flatMap(({ title, labels }) => {
          const policies = policiesOf(rendered).filter((policy) => covers(policy, labels));
          return (['Ingress', 'Egress'] as const).flatMap((type) =>
            when({
              [`${title}: no policy selects its pods for ${type}`]: !policies.some(({ spec }) =>
                spec?.policyTypes?.includes(type),
              ),
            }),
          );
        }),
    },
    {
      name: 'a policy denies all traffic in both directions; others allow what is needed',
      violations: (rendered) =>
        when({
          'no policy of the release denies everything to all of its pods': !policiesOf(rendered).some(
            (policy) =>
              !isHook(policy) &&
              policy.spec?.policyTypes?.length === 2 &&
              ingressOf(policy).length === 0 &&
              egressOf(policy).length === 0 &&
              podsOf(rendered).every(({ labels }) => covers(policy, labels)),
          ),
        }),
    },
    {
      name: 'callers are let in by name, and only to the ports of the service',
      violations: (rendered) => {
        const ports = podsOf(rendered).flatMap(({ spec }) =>
          spec.containers.flatMap((container) =>
            (container.ports ?? []).flatMap(({ name, containerPort }) => [name, containerPort]),
          ),
        );
        return policiesOf(rendered).flatMap((policy) =>
          ingressOf(policy).flatMap(({ from = [], ports: opened = [] }) =>
            when({
              [`${titleOf(policy)} allows any caller`]: from.length === 0 || from.some(isEverything),
              [`${titleOf(policy)} opens ports that the service does not have`]:
                opened.length === 0 ||
                !opened.every(({ port }) => port !== undefined && ports.some((known) => known === port)),
            }),
          ),
        );
      },
    },
    {
      name: 'a service reaches only what it needs: only job-state Postgres, only the dispatcher subscribers',
      violations: (rendered) => {
        const reached = policiesOf(rendered).flatMap((policy) =>
          egressOf(policy).flatMap(({ to = [], ports = [] }) =>
            (ports.length === 0 ? [{ port: undefined }] : ports).map(({ port }) => ({
              title: `${titleOf(policy)}, port ${port ?? 'any'}`,
              destination: destinationOf(port),
              isHook: isHook(policy),
              to,
            })),
          ),
        );
        const allowed = ALLOWED[rendered.service];
        return [
          ...reached.flatMap(({ title, destination, to }) =>
            when({
              [`${title}: ${rendered.service} does not need it`]:
                destination === undefined || !allowed.includes(destination),
              [`${title} is open to all addresses`]:
                destination !== 'internet' && (to.length === 0 || to.some(isEverything)),
            }),
          ),
          ...NEEDED[rendered.service].flatMap((needed) =>
            when({
              [`no policy lets ${rendered.service} reach ${needed}`]: !reached.some(
                ({ destination, isHook: ofHook }) => !ofHook && destination === needed,
              ),
            }),
          ),
        ];
      },
    },
    {
      name: 'of the internet the dispatcher reaches exactly the addresses that it considers public',
      violations: (rendered) =>
        policiesOf(rendered)
          .flatMap(egressOf)
          .filter(({ ports = [] }) => ports.some(({ port }) => destinationOf(port) === 'internet'))
          .flatMap((rule) => internetViolations(rule, refused)),
    },
  ];
}

function internetViolations(
  { to = [], ports = [] }: INetworkPolicyEgressRule,
  refused: RefusedRanges,
): readonly string[] {
  const blocks = to.map(({ ipBlock }) => ipBlock);
  const violationsOf = (cidr: string, ranges: readonly string[]) => {
    const block = blocks.find((candidate) => candidate?.cidr === cidr);
    return ranges
      .filter((range) => block !== undefined && block.except?.includes(range) !== true)
      .map((range) => `${cidr} does not except ${range}, which the dispatcher refuses`);
  };
  return [
    ...when({
      'more than TCP port 443 of the internet is open': ports.length !== 1 || ports[0]?.protocol !== 'TCP',
    }),
    ...blocks.flatMap((block) =>
      when({
        [`${block?.cidr ?? 'a pod'} is not the public internet, 0.0.0.0/0 or ${refused.publicIpv6}`]:
          block === undefined || !['0.0.0.0/0', refused.publicIpv6].includes(block.cidr),
      }),
    ),
    ...when({
      'public addresses of IPv4 are out of reach': !blocks.some((block) => block?.cidr === '0.0.0.0/0'),
    }),
    ...violationsOf('0.0.0.0/0', refused.ipv4),
    ...violationsOf(refused.publicIpv6, refused.ipv6),
  ];
}

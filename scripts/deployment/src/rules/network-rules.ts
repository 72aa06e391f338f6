import {
  type INetworkPolicy,
  type INetworkPolicyEgressRule,
  type INetworkPolicyPeer,
  NetworkPolicy,
} from 'kubernetes-models/networking.k8s.io/v1';
import type { ServiceName } from '@partner/local-stack/stack/services';
import { type KubernetesObject, type LabelSelector, selects } from '../kubernetes-object.js';
import type { RefusedRanges } from '../read-refused-ranges.js';
import { type DeploymentRules, isHook, objectsOf, podsOf, type RenderedChart } from './deployment-rule.js';

/** The peers of a pod by the ports that identify them. */
const DESTINATIONS = {
  DNS: [53, 5353],
  broker: [5671, 5672],
  Redis: [6379, 6380, 26379],
  Postgres: [5432, 6432],
  mail: [465, 587],
  HTTPS: [443],
  'collector of traces': [4317, 4318],
  'example receiver': [9443],
} as const;

/** The peers that a service cannot work without (spec: only job-state reaches the database, only the dispatcher reaches subscribers' servers, and only the console the identity provider). */
const NEEDED: Readonly<Record<ServiceName, readonly string[]>> = {
  'job-state': ['DNS', 'broker', 'Postgres'],
  'inbound-gateway': ['DNS', 'broker', 'Redis'],
  'installer-gateway': ['DNS', 'broker', 'Redis'],
  console: ['DNS', 'broker', 'Redis', 'mail', 'HTTPS'],
  'webhook-dispatcher': ['DNS', 'broker', 'HTTPS'],
};

/** What every service may reach besides. */
const ALLOWED = 'collector of traces';

type Policy = KubernetesObject & INetworkPolicy;

const policiesOf = (rendered: RenderedChart): readonly Policy[] => objectsOf(rendered, NetworkPolicy.is);
const egressOf = ({ spec }: Policy) => spec?.egress ?? [];
const ingressOf = ({ spec }: Policy) => spec?.ingress ?? [];
const covers = ({ spec }: Policy, labels: Readonly<Record<string, string>>) =>
  selects(spec?.podSelector ?? {}, labels);
const titleOf = ({ metadata }: Policy) => `NetworkPolicy ${metadata.name}`;

function destinationOf(port: string | number | undefined): string | undefined {
  return Object.entries(DESTINATIONS).find(([, ports]) => ports.some((known) => known === port))?.[0];
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

/** Rules about the network. The ranges are those that the dispatcher refuses. */
export function createNetworkRules(refused: RefusedRanges): DeploymentRules {
  return {
    *'no pod may receive or send traffic that no policy allows'(rendered) {
      for (const { title, labels } of podsOf(rendered)) {
        const policies = policiesOf(rendered).filter((policy) => covers(policy, labels));
        for (const type of ['Ingress', 'Egress'] as const)
          if (!policies.some(({ spec }) => spec?.policyTypes?.includes(type)))
            yield `${title}: no policy selects its pods for ${type}`;
      }
    },
    *'a policy denies all traffic in both directions; others allow what is needed'(rendered) {
      const deniesAll = policiesOf(rendered).some(
        (policy) =>
          !isHook(policy) &&
          policy.spec?.policyTypes?.length === 2 &&
          ingressOf(policy).length === 0 &&
          egressOf(policy).length === 0 &&
          podsOf(rendered).every(({ labels }) => covers(policy, labels)),
      );
      if (!deniesAll) yield 'no policy of the release denies everything to all of its pods';
    },
    *'callers are let in by name, and only to the ports of the service'(rendered) {
      const ports = podsOf(rendered).flatMap(({ spec }) =>
        spec.containers.flatMap((container) =>
          (container.ports ?? []).flatMap(({ name, containerPort }) => [name, containerPort]),
        ),
      );
      for (const policy of policiesOf(rendered)) {
        for (const { from = [], ports: opened = [] } of ingressOf(policy)) {
          if (from.length === 0 || from.some(isEverything)) yield `${titleOf(policy)} allows any caller`;
          const areOwn = opened.every(({ port }) => port !== undefined && ports.includes(port));
          if (opened.length === 0 || !areOwn)
            yield `${titleOf(policy)} opens ports that the service does not have`;
        }
      }
    },
    *'a service reaches only what it needs: only job-state Postgres, only the dispatcher subscribers'(
      rendered,
    ) {
      const { service, isDevelopment } = rendered;
      const allowed = [ALLOWED, ...NEEDED[service]];
      if (isDevelopment && service === 'webhook-dispatcher') allowed.push('example receiver');
      const missing = new Set(NEEDED[service]);
      for (const policy of policiesOf(rendered)) {
        for (const { to = [], ports = [] } of egressOf(policy)) {
          for (const { port } of ports.length === 0 ? [{ port: undefined }] : ports) {
            const title = `${titleOf(policy)}, port ${port ?? 'any'}`;
            const destination = destinationOf(port);
            if (destination === undefined || !allowed.includes(destination))
              yield `${title}: ${service} does not need it`;
            const isInternet = destination === 'HTTPS' && service === 'webhook-dispatcher';
            if (!isInternet && (to.length === 0 || to.some(isEverything)))
              yield `${title} is open to all addresses`;
            if (destination !== undefined && !isHook(policy)) missing.delete(destination);
          }
        }
      }
      for (const needed of missing) yield `no policy lets ${service} reach ${needed}`;
    },
    *'of the internet the dispatcher reaches exactly the addresses that it considers public'(rendered) {
      if (rendered.service !== 'webhook-dispatcher') return;
      for (const rule of policiesOf(rendered).flatMap(egressOf))
        if (rule.ports?.some(({ port }) => destinationOf(port) === 'HTTPS') === true)
          yield* internetViolations(rule, refused);
    },
  };
}

function* internetViolations(
  { to = [], ports = [] }: INetworkPolicyEgressRule,
  { ipv4, publicIpv6, ipv6 }: RefusedRanges,
): Iterable<string> {
  const excepted = new Map([
    ['0.0.0.0/0', ipv4],
    [publicIpv6, ipv6],
  ]);
  if (ports.length !== 1 || ports[0]?.protocol !== 'TCP')
    yield 'more than TCP port 443 of the internet is open';
  for (const { ipBlock } of to) {
    const ranges = excepted.get(ipBlock?.cidr ?? '');
    if (ipBlock === undefined || ranges === undefined)
      yield `${ipBlock?.cidr ?? 'a pod'} is not the public internet, 0.0.0.0/0 or ${publicIpv6}`;
    else
      for (const range of ranges)
        if (ipBlock.except?.includes(range) !== true)
          yield `${ipBlock.cidr} does not except ${range}, which the dispatcher refuses`;
  }
  if (!to.some(({ ipBlock }) => ipBlock?.cidr === '0.0.0.0/0'))
    yield 'public addresses of IPv4 are out of reach';
}

import { INGRESS_PATHS, type ServiceName } from '@partner/local-stack/stack/services';

/** What a pod requests, and its memory limit. There is no CPU limit: it would slow a pod down despite an idle CPU. */
export interface PodResources {
  readonly cpu: string;
  readonly memory: string;
  readonly memoryLimit: string;
}

interface ChartFacts {
  readonly resources: PodResources;
  /** The rest of the memory limit is for buffers, sockets and threads. */
  readonly nodeHeapPercent: number;
  readonly peers: Readonly<Record<string, number>>;
  readonly maxReplicas: number;
  /** Messages for one replica by queue; a service without queues scales by CPU. */
  readonly messagesPerReplica: Readonly<Record<string, readonly [messages: number, description: string]>>;
}

const REDIS = { redis: 6379 };
/** Of a service without queues. */
const HTTP = { nodeHeapPercent: 75, peers: REDIS, maxReplicas: 10, messagesPerReplica: {} } as const;

export const CHART_FACTS: Readonly<Record<ServiceName, ChartFacts>> = {
  'job-state': {
    resources: { cpu: '500m', memory: '384Mi', memoryLimit: '768Mi' },
    nodeHeapPercent: 75,
    peers: { postgres: 5432 },
    maxReplicas: 5,
    messagesPerReplica: {
      inboundRpc: [200, 'Requests of inbound-gateway.'],
      installerRpc: [200, 'Requests of installer-gateway.'],
      managementRpc: [200, 'Requests of the console.'],
      platformMessages: [200, 'Messages of the platform.'],
      deliveryResults: [100, 'Messages with results of deliveries.'],
    },
  },
  'inbound-gateway': {
    resources: { cpu: '100m', memory: '192Mi', memoryLimit: '384Mi' },
    ...HTTP,
  },
  'installer-gateway': {
    resources: { cpu: '200m', memory: '256Mi', memoryLimit: '512Mi' },
    ...HTTP,
  },
  console: {
    ...HTTP,
    resources: { cpu: '100m', memory: '256Mi', memoryLimit: '512Mi' },
    // Hashing passwords needs memory outside of the heap.
    nodeHeapPercent: 60,
    peers: { ...REDIS, mail: 465, identityProvider: 443 },
  },
  'webhook-dispatcher': {
    resources: { cpu: '500m', memory: '384Mi', memoryLimit: '768Mi' },
    // So do TLS connections to subscribers.
    nodeHeapPercent: 60,
    peers: {},
    maxReplicas: 10,
    messagesPerReplica: { deliveries: [50, 'Commands, each for up to 10 deliveries.'] },
  },
};

export function servesHttp(service: ServiceName): boolean {
  return INGRESS_PATHS[service] !== undefined;
}

import type { BrokerProbe } from '@partner/kernel/testing/broker-probe';

type Channel = BrokerProbe['channel'];

const OTHERS = {
  'bind a queue': (channel: Channel) => channel.bindQueue('amq.gen-x', 'platform', '#'),
  'declare a queue': (channel: Channel) => channel.assertQueue('things', { durable: true }),
  'delete a queue': (channel: Channel) => channel.deleteQueue('job-state.inbound-rpc'),
  'empty a queue': (channel: Channel) => channel.purgeQueue('job-state.platform-messages'),
} as const;

/** What a user of the broker is refused: queues that it may not read, exchanges that it may not publish to, and more. */
interface Foreign {
  /** Separated by spaces. */
  readonly read: string;
  /** Separated by spaces; the default exchange is `default`. */
  readonly publish: string;
  readonly others?: readonly (keyof typeof OTHERS)[];
}

const FOREIGN: Readonly<Record<string, Foreign>> = {
  'partner-inbound-gateway': {
    read: 'job-state.inbound-rpc job-state.platform-messages webhook-dispatcher.deliveries platform.partner-events',
    publish:
      'partner.installer platform partner.commands partner.management partner.operator partner.events partner.access default',
    others: ['bind a queue', 'declare a queue', 'delete a queue', 'empty a queue'],
  },
  'partner-installer-gateway': {
    read: 'job-state.installer-rpc',
    publish: 'partner.inbound partner.management partner.operator partner.commands platform default',
    others: ['declare a queue'],
  },
  'partner-console': {
    read: 'job-state.management-rpc',
    publish:
      'partner.inbound partner.installer partner.operator partner.commands platform partner.access default',
  },
  'partner-job-state': {
    read: 'webhook-dispatcher.deliveries platform.partner-events',
    publish: 'platform partner.inbound partner.installer partner.operator',
    others: ['declare a queue', 'delete a queue'],
  },
  'partner-webhook-dispatcher': {
    read: 'job-state.installer-rpc job-state.platform-messages job-state.delivery-results',
    publish:
      'partner.inbound partner.installer partner.management platform partner.events partner.access partner.operator',
    others: ['declare a queue', 'delete a queue', 'empty a queue'],
  },
  'partner-platform': {
    read: 'job-state.platform-messages',
    publish: 'partner.commands default',
    others: ['declare a queue'],
  },
  'partner-simulator': {
    read: 'job-state.installer-rpc',
    publish: 'partner.inbound partner.operator partner.management partner.commands partner.events default',
    others: ['declare a queue'],
  },
  'partner-operator': {
    read: 'job-state.installer-rpc',
    publish: 'partner.inbound partner.installer partner.commands',
    others: ['declare a queue', 'delete a queue'],
  },
  'partner-monitoring': {
    read: 'job-state.installer-rpc',
    publish: 'partner.commands default',
    others: ['declare a queue'],
  },
};

/** By user of the broker: what it is refused, in words and as it tries. */
export const FOREIGN_TO_BROKER_USERS = Object.entries(FOREIGN).map(
  ([user, { read, publish, others = [] }]) =>
    [
      user,
      [
        ...read.split(' ').map((queue) => ({
          what: `read ${queue}`,
          run: (channel: Channel): Promise<unknown> => channel.consume(queue, () => undefined),
        })),
        ...publish.split(' ').map((exchange) => ({
          what: `publish to ${exchange}`,
          run: (channel: Channel): Promise<unknown> => {
            const name = exchange === 'default' ? '' : exchange;
            channel.publish(name, 'job-state.platform-messages', Buffer.from('x'));
            // The broker closes the channel for it, and so refuses what comes next.
            return channel.checkExchange('partner.commands');
          },
        })),
        ...others.map((what) => ({
          what,
          run: (channel: Channel): Promise<unknown> => OTHERS[what](channel),
        })),
      ],
    ] as const,
);

const SESSION = 'partner:{sessions}:x';

const TO_ALL = [
  ...['keys *', 'scan 0', `dump ${SESSION}`, `restore ${SESSION} 0 x`, 'flushall', 'config get *', 'monitor'],
  ...[`rename ${SESSION} partner:rate:{probe}`, `copy ${SESSION} partner:rate:{probe}`, 'publish x y'],
  ...['acl setuser default off', 'del another:{sessions}:x'],
];
const TO_GATEWAYS = [
  ...[`del ${SESSION}`, `pexpire ${SESSION} 1`, `hget ${SESSION} owner`, `hgetall ${SESSION}`],
  ...[
    `hset ${SESSION} confirmedUntil 1`,
    'del partner:{sessions}:of:mem_1',
    'zrem partner:{sessions}:of:mem_1 x',
  ],
  ...['del partner:login-failures:account:x', 'del partner:rate:{console:x}'],
  // Scripts may not do what commands may not.
  `eval return(redis.call('del',KEYS[1])) 1 ${SESSION}`,
  `eval return(redis.call('pexpire','${SESSION}',1)) 0`,
];

/** By user of Redis: commands that it is refused, their arguments separated by spaces. */
export const FOREIGN_TO_REDIS_USERS: Readonly<Record<string, readonly string[]>> = {
  'partner-inbound-gateway': [...TO_ALL, ...TO_GATEWAYS, 'del partner:rate:{installer:cmp_1}'],
  'partner-installer-gateway': [...TO_ALL, ...TO_GATEWAYS, 'del partner:rate:{inbound:cmp_1}'],
  'partner-console': [...TO_ALL, 'del partner:faults:{x}'],
};

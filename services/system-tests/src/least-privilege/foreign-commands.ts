import type { BrokerProbe } from '@partner/kernel/testing/broker-probe';
import { EXCHANGES, QUEUES } from '@partner/proto-contracts/topology';

/** By user of the broker: the exchanges that it may publish to, the default one as `default`, and the queues that it may read. */
const RIGHTS: Readonly<Record<string, readonly [publish: string, read: RegExp]>> = {
  'partner-inbound-gateway': ['partner.inbound', /^$/],
  'partner-installer-gateway': ['partner.installer', /^$/],
  'partner-console': ['partner.management', /^$/],
  'partner-job-state': [
    'default partner.commands partner.management partner.events partner.access partner.webhook-changes partner.dead-letters',
    /^job-state\.(?!.*\.dead$)/,
  ],
  'partner-webhook-dispatcher': [
    'default partner.commands partner.dead-letters',
    /^webhook-dispatcher\.(?!.*\.dead$)/,
  ],
  'partner-platform': ['platform', /^platform\.partner-events$/],
  'partner-simulator': ['platform partner.installer', /^platform\.partner-events$/],
  'partner-operator': ['default platform partner.management partner.operator', /\.dead$/],
  'partner-monitoring': ['', /^$/],
};

const ALL_QUEUES = QUEUES.flatMap(({ name, deadLetterQueue = [] }) => [name, deadLetterQueue].flat());

interface Foreign {
  readonly what: string;
  readonly run: (channel: BrokerProbe['channel']) => Promise<unknown>;
}

/** What the broker refuses every user but the administrator. */
const FOREIGN_TO_ALL: readonly Foreign[] = [
  { what: 'bind a queue', run: (channel) => channel.bindQueue('amq.gen-x', 'platform', '#') },
  { what: 'declare a queue', run: (channel) => channel.assertQueue('things', { durable: true }) },
  { what: 'delete a queue', run: (channel) => channel.deleteQueue('job-state.inbound-rpc') },
];

/** By user of the broker: everything of the topology to which it has no right, and how it tries it. */
export const FOREIGN_TO_BROKER_USERS = Object.entries(RIGHTS).map(([user, [publish, read]]) => {
  const exchanges = ['default', ...EXCHANGES.map(({ name }) => name)].filter(
    (name) => !publish.split(' ').includes(name),
  );
  const foreign: readonly Foreign[] = [
    ...FOREIGN_TO_ALL,
    ...ALL_QUEUES.filter((queue) => !read.test(queue)).map((queue) => ({
      what: `read ${queue}`,
      run: (channel: BrokerProbe['channel']) => channel.consume(queue, () => undefined),
    })),
    ...exchanges.map((exchange) => ({
      what: `publish to ${exchange}`,
      run: (channel: BrokerProbe['channel']) => {
        const name = exchange === 'default' ? '' : exchange;
        channel.publish(name, 'job-state.platform-messages', Buffer.from('x'));
        // The broker closes the channel for it, and so refuses what comes next.
        return channel.checkExchange('partner.commands');
      },
    })),
  ];
  return [user, foreign] as const;
});

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

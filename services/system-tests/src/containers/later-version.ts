import { CALL_CONTENT_TYPE } from '@partner/proto-contracts/call';

/** A field that no message of this version has: number 50,000, the value 1. */
const UNKNOWN_FIELD = Buffer.from([0x80, 0xb5, 0x18, 0x01]);

/** The file that makes a service a later version, in the service's own folder. */
export const LATER_VERSION_MODULE = 'later-version.mjs';

/**
 * A module that has a service say what a later version could say besides: every message that it sends to the broker, be it a
 * request, a response, a command, a result or an event, carries a field that the version before does not know. The JSON of a successful
 * response is left as it is, since it is the partner's response.
 */
export function laterVersionModule(): string {
  return `import { createRequire } from 'node:module';
const { Channel } = createRequire(import.meta.url)('/app/node_modules/amqplib/lib/channel_model.js');
const { publish } = Channel.prototype;
const unknownField = Buffer.from([${[...UNKNOWN_FIELD].join(', ')}]);
const withField = (json) => JSON.stringify({ ...JSON.parse(json), laterField: 1 });
Channel.prototype.publish = function (exchange, routingKey, content, options = {}) {
  const isCall = options.contentType === '${CALL_CONTENT_TYPE}';
  if (!isCall) return publish.call(this, exchange, routingKey, Buffer.concat([content, unknownField]), options);
  if (options.type !== 'ok') return publish.call(this, exchange, routingKey, Buffer.from(withField(content)), options);
  const outcome = withField(options.headers?.['x-outcome'] ?? '{}');
  const headers = { ...options.headers, 'x-outcome': outcome };
  return publish.call(this, exchange, routingKey, content, { ...options, headers });
};
`;
}

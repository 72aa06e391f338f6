/** A field that no message of this version has: number 50,000, the value 1. */
const UNKNOWN_FIELD = Buffer.from([0x80, 0xb5, 0x18, 0x01]);

/** The file that makes a service a later version, in the service's own folder. */
export const LATER_VERSION_MODULE = 'later-version.mjs';

/**
 * A module that has a service say what a later version could say besides: every message that it sends to the broker, be it a
 * request, a response, a command, a result or an event, carries a field that the version before does not know.
 */
export function laterVersionModule(): string {
  return `import { createRequire } from 'node:module';
const { Channel } = createRequire(import.meta.url)('/app/node_modules/amqplib/lib/channel_model.js');
const { publish } = Channel.prototype;
const unknownField = Buffer.from([${[...UNKNOWN_FIELD].join(', ')}]);
Channel.prototype.publish = function (exchange, routingKey, content, options) {
  return publish.call(this, exchange, routingKey, Buffer.concat([content, unknownField]), options);
};
`;
}

import type { Channel, ConfirmChannel } from 'amqplib';
import type { AmqpConnection } from '../amqp/connection.js';
import type { Topology } from '../amqp/topology.js';
import { createRecorder } from '@partner/test-kit/recorder';

/** A connection that exposes its channels, so that a test can close one. */
export function observeConnection(connection: Pick<AmqpConnection, 'openChannel' | 'isBlocked'>) {
  const channels = createRecorder<{ readonly name: string; readonly channel: Channel }>();
  return {
    /** Each channel whose setup has succeeded, by its plan's name, in order. */
    channels,
    isBlocked: () => connection.isBlocked(),
    openChannel(plan: Parameters<AmqpConnection['openChannel']>[0]) {
      const { name } = plan;
      if (plan.confirm) {
        const setup = async (channel: ConfirmChannel, topology: Topology) => {
          await plan.setup(channel, topology);
          channels.record({ name, channel });
        };
        return connection.openChannel({ ...plan, setup });
      }
      const setup = async (channel: Channel, topology: Topology) => {
        await plan.setup(channel, topology);
        channels.record({ name, channel });
      };
      return connection.openChannel({ ...plan, setup });
    },
  };
}

/** Makes the broker close a channel alone, as after a refused operation. Resolves once it is closed. */
export async function killChannel(channel: Channel): Promise<void> {
  const closed = new Promise<void>((resolve) => channel.once('close', () => resolve()));
  channel.checkQueue('test.there-is-no-such-queue').catch(() => undefined);
  await closed;
}

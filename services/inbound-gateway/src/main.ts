import { createClient } from '@connectrpc/connect';
import { EventFeedService } from '@partner/proto-contracts/gen/partner/webhooks/v1/event_feed_service_pb';
import { JOB_STATE_INBOUND_RPC } from '@partner/proto-contracts/topology';
import { runGateway } from '@partner/gateway-kit/run-gateway';
import { createInboundApp } from './app.js';
import { config } from './config.js';

await runGateway({
  name: 'inbound-gateway',
  surface: 'inbound',
  queue: JOB_STATE_INBOUND_RPC,
  config,
  createApp: ({ transport, ...parts }) =>
    createInboundApp({
      ...parts,
      eventFeed: createClient(EventFeedService, transport),
      clock: () => new Date(),
    }),
});

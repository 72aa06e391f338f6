import { JOB_STATE_INBOUND_RPC } from '@partner/proto-contracts/topology';
import { runGateway } from '@partner/gateway-kit/operations/run-gateway';
import { createInboundApp } from './app.js';
import { config } from './config.js';

await runGateway({
  name: 'inbound-gateway',
  surface: 'inbound',
  queue: JOB_STATE_INBOUND_RPC,
  config,
  createApp: createInboundApp,
});

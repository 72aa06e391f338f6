import { createClient } from '@connectrpc/connect';
import { ContractorJobService } from '@partner/proto-contracts/gen/partner/jobs/v1/contractor_job_service_pb';
import { AppointmentService } from '@partner/proto-contracts/gen/partner/leads/v1/appointment_service_pb';
import { LeadService } from '@partner/proto-contracts/gen/partner/leads/v1/lead_service_pb';
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
      leads: createClient(LeadService, transport),
      appointments: createClient(AppointmentService, transport),
      contractorJobs: createClient(ContractorJobService, transport),
      eventFeed: createClient(EventFeedService, transport),
      clock: () => new Date(),
    }),
});

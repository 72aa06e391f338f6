import { JOB_STATE_INSTALLER_RPC } from '@partner/proto-contracts/topology';
import { runGateway } from '@partner/gateway-kit/operations/run-gateway';
import { API_VERSIONS, createInstallerApp } from './app.js';
import { config } from './config.js';
import { createTechnicianCursor } from './technician-cursor.js';

await runGateway({
  name: 'installer-gateway',
  surface: 'installer',
  queue: JOB_STATE_INSTALLER_RPC,
  config,
  createApp: (deps, settings) =>
    createInstallerApp({
      ...deps,
      technicianCursors: createTechnicianCursor(settings.CURSOR_SIGNING_KEY),
    }),
  refusalHeaders: API_VERSIONS.current.headers,
});

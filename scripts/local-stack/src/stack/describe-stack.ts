import path from 'node:path';
import type { CertificateFiles } from '../receiver/certificates.js';
import { CONTROL_PATHS } from '../receiver/receiver.js';
import { LISTENER_HOST, RECEIVER_HOST } from './receiver-hosts.js';
import type { ServiceSurroundings } from './services.js';
import type { SandboxCompany, StackDescription } from './stack-description.js';
import type { StackProcess } from './stack-process.js';
import { receiverFiles } from './stack-programs.js';
import { stackFiles, type StackPlan } from './stack-state.js';

export function describeStack(context: {
  readonly directory: string;
  readonly plan: StackPlan;
  readonly surroundings: Omit<ServiceSurroundings, 'replicas'>;
  readonly companies: SandboxCompany[];
  readonly processes: readonly StackProcess[];
  readonly certificates: CertificateFiles;
}): StackDescription {
  const { plan, surroundings } = context;
  const services: StackDescription['services'] = {};
  for (const [name, { adminPort, httpPort }] of Object.entries(plan.services)) {
    services[name] = {
      ...(httpPort === undefined ? {} : { url: `http://127.0.0.1:${httpPort}` }),
      adminUrl: `http://127.0.0.1:${adminPort}`,
      pid: context.processes.find((process) => process.name === name)?.pid ?? 0,
    };
  }
  return {
    baseUrl: surroundings.baseUrl,
    environment: 'sandbox',
    amqpUrl: surroundings.amqpUrl,
    postgresUrl: surroundings.postgresUrl,
    redisUrl: surroundings.redisUrl,
    services,
    companies: context.companies,
    receiver: {
      url: `https://${RECEIVER_HOST}`,
      caFile: context.certificates.caFile,
      logFile: receiverFiles(context.directory).log,
      controlUrl: `https://127.0.0.1:${plan.ports.receiver}${CONTROL_PATHS.secrets}`,
    },
    listener: {
      url: `https://${LISTENER_HOST}`,
      port: plan.ports.listener,
      certificateFile: context.certificates.certificateFile,
      keyFile: context.certificates.keyFile,
    },
    ...(surroundings.mail !== undefined && {
      mail: {
        url: surroundings.mail.SMTP_URL,
        from: surroundings.mail.MAIL_FROM,
        directory: stackFiles(context.directory).mail,
        logFile: path.join(stackFiles(context.directory).logs, 'mail.log'),
      },
    }),
  };
}

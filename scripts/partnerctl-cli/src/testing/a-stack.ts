import { type StackDescription } from '@partner/local-stack/stack/stack-description';

/** The description of a local stack whose processes are unreachable. */
export function aStack(amqpUrl: string): StackDescription {
  const nobody = 'http://127.0.0.1:1';
  return {
    baseUrl: nobody,
    environment: 'sandbox',
    amqpUrl,
    postgresUrl: 'postgres://127.0.0.1:1/partner',
    redisUrl: 'redis://127.0.0.1:1',
    services: { console: { adminUrl: nobody, pid: 1 } },
    companies: [],
    receiver: { url: nobody, caFile: '', logFile: '', controlUrl: nobody },
    listener: { url: nobody, port: 1, certificateFile: '', keyFile: '' },
  };
}

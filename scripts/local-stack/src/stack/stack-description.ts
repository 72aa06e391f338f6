import { z } from 'zod';

export const sandboxCompany = z.looseObject({
  id: z.string(),
  name: z.string(),
  class: z.enum(['SALES', 'INSTALLER', 'ACCOUNTING']),
  owner: z.object({ email: z.string(), password: z.string() }),
  keys: z.array(
    z.looseObject({
      kind: z.enum(['general', 'installer-contractor', 'installer-company']),
      apiKey: z.string(),
      boundCompanyId: z.string().optional(),
    }),
  ),
});

export type SandboxCompany = z.infer<typeof sandboxCompany>;

export const stackDescription = z.object({
  baseUrl: z.url(),
  environment: z.literal('sandbox'),
  amqpUrl: z.string(),
  postgresUrl: z.string(),
  redisUrl: z.string(),
  services: z.record(z.string(), z.object({ url: z.url().optional(), adminUrl: z.url(), pid: z.int() })),
  companies: z.array(sandboxCompany),
  receiver: z.object({
    /** The host in a subscription's URL; it resolves to the receiver only inside the stack. */
    url: z.url(),
    caFile: z.string(),
    logFile: z.string(),
    controlUrl: z.url(),
  }),
  /** The port on which a server of the developer can receive webhooks over HTTPS. */
  listener: z.object({
    /** The host in a subscription's URL; it resolves to the port only inside the stack. */
    url: z.url(),
    port: z.int(),
    certificateFile: z.string(),
    keyFile: z.string(),
  }),
  /** The mail sink, which delivers nothing; absent in a stack that was started without one. */
  mail: z
    .object({
      url: z.string(),
      from: z.string(),
      directory: z.string(),
      logFile: z.string(),
    })
    .optional(),
});

export type StackDescription = z.infer<typeof stackDescription>;

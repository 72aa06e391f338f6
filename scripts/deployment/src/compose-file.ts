import { readProjectFile } from '@partner/local-stack/project-root';
import { parse } from 'yaml';
import { z } from 'zod';

const composeFile = z.object({
  services: z.record(
    z.string(),
    z.object({
      image: z.string(),
      build: z
        .object({ dockerfile: z.string(), args: z.object({ SERVICE: z.string() }).optional() })
        .optional(),
      command: z.array(z.string()).default([]),
      environment: z.record(z.string(), z.union([z.string(), z.number()]).transform(String)).default({}),
      ports: z.array(z.string()).default([]),
      healthcheck: z.looseObject({ test: z.array(z.string()).optional() }).optional(),
      volumes: z.array(z.string()).default([]),
      tmpfs: z.array(z.string()).default([]),
    }),
  ),
});

export const COMPOSE_SERVICES = composeFile.parse(
  parse(readProjectFile('docker-compose.yml'), { merge: true }),
).services;

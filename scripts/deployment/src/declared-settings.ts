import { z } from 'zod';
import type { ServiceName } from '@partner/local-stack/stack/services';
import { loadServiceModule } from './load-service-module.js';
import { toValueSchema, type ValueSchema } from './values/value-schema.js';

export interface Setting {
  readonly name: string;
  readonly schema: ValueSchema;
  readonly isRequired: boolean;
}

type DeclaredSettings = Awaited<ReturnType<typeof readSettings>>;

type Declaration = readonly [service: ServiceName, file?: string, name?: string];

/** Each program's config module, and the schema that it exports: `config` of `config` unless it says otherwise. */
const DECLARATIONS: Readonly<Record<string, Declaration>> = {
  'job-state': ['job-state'],
  'inbound-gateway': ['inbound-gateway'],
  'installer-gateway': ['installer-gateway'],
  console: ['console'],
  'webhook-dispatcher': ['webhook-dispatcher'],
  migrate: ['job-state', 'config', 'migrateConfig'],
  'seed-sandbox': ['job-state', 'config', 'seedConfig'],
  'simulate-sandbox': ['job-state', 'sandbox/simulator-config', 'simulatorConfig'],
};

const DECLARED = new Map<string, DeclaredSettings>();
for (const [program, declaration] of Object.entries(DECLARATIONS)) {
  DECLARED.set(program, await readSettings(declaration));
}

export const PROGRAM_NAMES: readonly string[] = [...DECLARED.keys()];

export function settingsOf(program: string): DeclaredSettings {
  const declared = DECLARED.get(program);
  if (declared === undefined) throw new Error(`${program} declares no settings`);
  return declared;
}

async function readSettings([service, file = 'config', name = 'config']: Declaration) {
  const schema = (await loadServiceModule(service, file))[name];
  if (!(schema instanceof z.ZodObject)) throw new Error(`${file} of ${service} exports no schema ${name}`);
  const { properties: texts = {}, required = [] } = toValueSchema(schema, 'input');
  const { properties = {} } = toValueSchema(schema, 'output');
  return {
    settings: Object.entries(properties).map(([setting, parsed]): Setting => ({
      name: setting,
      // A text that is parsed into an object stays a text in the settings.
      schema: parsed.type === undefined ? { ...parsed, ...texts[setting] } : parsed,
      isRequired: required.includes(setting),
    })),
    violations: (environment: Readonly<Record<string, string>>) => {
      const { error } = schema.safeParse(environment);
      return (error?.issues ?? []).map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    },
  };
}

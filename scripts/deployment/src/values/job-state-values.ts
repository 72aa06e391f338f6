import { z } from 'zod';
import { settingValue } from './settings-values.js';
import { flag, group, resourcesValues, whole } from './value-types.js';

const POD = { cpu: '100m', memory: '128Mi', memoryLimit: '384Mi' };

function hookValues(deadlineSeconds: number) {
  return {
    activeDeadlineSeconds: whole(30, 86_400, 'seconds')
      .default(deadlineSeconds)
      .describe('Time limit of the job.'),
    backoffLimit: whole(0, 10).default(2).describe('Number of retries.'),
    ttlSecondsAfterFinished: whole(0, 604_800, 'seconds')
      .default(86_400)
      .describe('How long a failed job is kept.'),
    resources: resourcesValues(POD).describe('Resources of its pod.'),
  };
}

export function jobStateValues() {
  return {
    migrations: group('Job that migrates the database before pods of this version start.', {
      enabled: flag
        .default(true)
        .describe(
          'Migrates at installations and upgrades. If disabled, run `dist/migrate.js` yourself: the service waits for it.',
        ),
      restoredTo: settingValue('migrate', 'RESTORED_TO'),
      ...hookValues(1_800),
    }),
    seed: z
      .strictObject({
        enabled: flag
          .default(false)
          .describe(
            'Runs the job at installations and upgrades. It fills only an empty sandbox. Needs `migrations.enabled`.',
          ),
        ...hookValues(600),
      })
      .describe(
        'Job that fills a sandbox with companies, keys and jobs, and prints the keys and logins. Refused in production.',
      ),
    simulator: z
      .strictObject({
        enabled: flag.default(false).describe('Runs the simulator.'),
        movesPerMinute: settingValue('simulate-sandbox', 'SIMULATOR_MOVES_PER_MINUTE'),
        seed: settingValue('simulate-sandbox', 'SIMULATOR_SEED'),
        resources: resourcesValues({ cpu: '50m', memory: '128Mi', memoryLimit: '256Mi' }).describe(
          'Resources of its pod.',
        ),
      })
      .describe(
        'Plays the platform and the installers in a sandbox without a platform. Refused in production.',
      ),
  };
}

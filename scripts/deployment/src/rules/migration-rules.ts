import { networkPolicy, selects } from '../kubernetes-object.js';
import {
  type DeploymentRule,
  isHook,
  ofKind,
  type RenderedChart,
  when,
  workloadsOf,
} from './deployment-rule.js';
import { environmentOf } from './environment-of.js';

const jobsOf = (rendered: RenderedChart) => workloadsOf(rendered).filter(({ kind }) => kind === 'Job');

/** Rules about programs that run beside a release. Each program itself must tolerate a concurrent second run. */
export const MIGRATION_RULES: readonly DeploymentRule[] = [
  {
    name: 'job-state brings the database up to date before new pods start; no other service does',
    faults: (rendered) => {
      const migrations = jobsOf(rendered).filter(({ spec }) =>
        spec.template.spec.containers.some(({ args }) => args.includes('dist/migrate.js')),
      );
      if (rendered.service !== 'job-state') {
        return when({ [`${rendered.service} has no database`]: migrations.length > 0 });
      }
      return [
        ...when({ 'there is not exactly one Job that runs dist/migrate.js': migrations.length !== 1 }),
        ...migrations.flatMap((job) => [
          ...when({
            [`Job ${job.metadata.name} is not a hook before installation and upgrade`]:
              job.metadata.annotations['helm.sh/hook']?.split(',').sort().join() !==
              'pre-install,pre-upgrade',
          }),
          ...job.spec.template.spec.containers.flatMap((container) =>
            when({
              [`Job ${job.metadata.name} does not read POSTGRES_URL from a secret`]:
                environmentOf(container).get('POSTGRES_URL')?.from !== 'secret',
            }),
          ),
        ]),
      ];
    },
  },
  {
    name: 'every Job is a hook with a deadline, a few retries and a time to live',
    faults: (rendered) =>
      jobsOf(rendered).flatMap(({ metadata, spec }) => {
        const deletion = metadata.annotations['helm.sh/hook-delete-policy'] ?? '';
        return when({
          [`Job ${metadata.name} is not a hook`]: metadata.annotations['helm.sh/hook'] === undefined,
          [`Job ${metadata.name} blocks the next one: hook-delete-policy is "${deletion}"`]:
            !deletion.includes('before-hook-creation') || !deletion.includes('hook-succeeded'),
          [`Job ${metadata.name} has no deadline between a minute and an hour`]:
            (spec.activeDeadlineSeconds ?? 0) < 60 || (spec.activeDeadlineSeconds ?? 0) > 3_600,
          [`Job ${metadata.name} stays for longer than a week when it fails, also without its release`]:
            spec.ttlSecondsAfterFinished === undefined || spec.ttlSecondsAfterFinished > 604_800,
          [`Job ${metadata.name} has no backoffLimit up to 6`]:
            spec.backoffLimit === undefined || spec.backoffLimit > 6,
          [`Job ${metadata.name} has no restartPolicy that is valid for a Job`]: ![
            'Never',
            'OnFailure',
          ].includes(spec.template.spec.restartPolicy ?? ''),
        });
      }),
  },
  {
    name: 'a hook needs nothing of the release, which does not exist yet',
    faults: (rendered) => {
      const later = new Set(
        rendered.objects
          .filter((object) => !isHook(object))
          .map(({ kind, metadata }) => `${kind} ${metadata.name}`),
      );
      return jobsOf(rendered)
        .filter(isHook)
        .flatMap(({ metadata, spec }) => {
          const needed = `ServiceAccount ${spec.template.spec.serviceAccountName ?? 'default'}`;
          const before = metadata.annotations['helm.sh/hook']?.startsWith('pre-') === true;
          const policies = ofKind(rendered, 'NetworkPolicy', networkPolicy).filter(
            (policy) =>
              policy.spec.egress.length > 0 &&
              selects(policy.spec.podSelector, spec.template.metadata.labels),
          );
          return when({
            [`Job ${metadata.name} needs ${needed}`]: before && later.has(needed),
            [`no policy lets the pods of Job ${metadata.name} reach anything`]: policies.length === 0,
            [`the policy for Job ${metadata.name} is created after it`]:
              before && policies.length > 0 && !policies.some(isHook),
          });
        });
    },
  },
];

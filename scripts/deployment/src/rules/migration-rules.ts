import { Job } from 'kubernetes-models/batch/v1';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { selects } from '../kubernetes-object.js';
import {
  type DeploymentRule,
  isHook,
  objectsOf,
  podOf,
  type RenderedChart,
  when,
} from './deployment-rule.js';
import { environmentOf } from './environment-of.js';

const jobsOf = (rendered: RenderedChart) => objectsOf(rendered, Job.is);

/** Rules about programs that run beside a release. Each program itself must tolerate a concurrent second run. */
export const MIGRATION_RULES: readonly DeploymentRule[] = [
  {
    name: 'job-state brings the database up to date before new pods start; no other service does',
    violations: (rendered) => {
      const migrations = jobsOf(rendered).filter((job) =>
        podOf(job).spec.containers.some(({ args = [] }) => args.includes('dist/migrate.js')),
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
          ...podOf(job).spec.containers.flatMap((container) =>
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
    violations: (rendered) =>
      jobsOf(rendered).flatMap((job) => {
        const { metadata, spec } = job;
        const deletion = metadata.annotations['helm.sh/hook-delete-policy'] ?? '';
        return when({
          [`Job ${metadata.name} is not a hook`]: metadata.annotations['helm.sh/hook'] === undefined,
          [`Job ${metadata.name} blocks the next one: hook-delete-policy is "${deletion}"`]:
            !deletion.includes('before-hook-creation') || !deletion.includes('hook-succeeded'),
          [`Job ${metadata.name} has no deadline between a minute and an hour`]:
            (spec?.activeDeadlineSeconds ?? 0) < 60 || (spec?.activeDeadlineSeconds ?? 0) > 3_600,
          [`Job ${metadata.name} stays for longer than a week when it fails, also without its release`]:
            (spec?.ttlSecondsAfterFinished ?? Infinity) > 604_800,
          [`Job ${metadata.name} has no backoffLimit up to 6`]: (spec?.backoffLimit ?? Infinity) > 6,
          [`Job ${metadata.name} has no restartPolicy that is valid for a Job`]: ![
            'Never',
            'OnFailure',
          ].includes(podOf(job).spec.restartPolicy ?? ''),
        });
      }),
  },
  {
    name: 'a hook needs nothing of the release, which does not exist yet',
    violations: (rendered) => {
      const later = new Set(
        rendered.objects
          .filter((object) => !isHook(object))
          .map(({ kind, metadata }) => `${kind} ${metadata.name}`),
      );
      return jobsOf(rendered)
        .filter(isHook)
        .flatMap((job) => {
          const { metadata } = job;
          const { spec, labels } = podOf(job);
          const needed = `ServiceAccount ${spec.serviceAccountName ?? 'default'}`;
          const before = metadata.annotations['helm.sh/hook']?.startsWith('pre-') === true;
          const policies = objectsOf(rendered, NetworkPolicy.is).filter(
            (policy) =>
              (policy.spec?.egress ?? []).length > 0 && selects(policy.spec?.podSelector ?? {}, labels),
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

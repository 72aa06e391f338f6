import { Job } from 'kubernetes-models/batch/v1';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { selects } from '../kubernetes-object.js';
import { type DeploymentRules, isHook, objectsOf, podOf, type RenderedChart } from './deployment-rule.js';
import { environmentOf } from './environment-of.js';

const jobsOf = (rendered: RenderedChart) => objectsOf(rendered, Job.is);

/** Rules about programs that run beside a release. Each program itself must tolerate a concurrent second run. */
export const MIGRATION_RULES: DeploymentRules = {
  *'job-state brings the database up to date before new pods start; no other service does'(rendered) {
    const migrations = jobsOf(rendered).filter((job) =>
      podOf(job).spec.containers.some(({ args = [] }) => args.includes('dist/migrate.js')),
    );
    if (rendered.service !== 'job-state') {
      if (migrations.length > 0) yield `${rendered.service} has no database`;
      return;
    }
    if (migrations.length !== 1) yield 'there is not exactly one Job that runs dist/migrate.js';
    for (const job of migrations) {
      const hook = job.metadata.annotations['helm.sh/hook'];
      if (hook?.split(',').sort().join() !== 'pre-install,pre-upgrade')
        yield `Job ${job.metadata.name} is not a hook before installation and upgrade`;
      for (const container of podOf(job).spec.containers)
        if (environmentOf(container).get('POSTGRES_URL')?.from !== 'secret')
          yield `Job ${job.metadata.name} does not read POSTGRES_URL from a secret`;
    }
  },
  *'every Job is a hook with a deadline, a few retries and a time to live'(rendered) {
    for (const job of jobsOf(rendered)) {
      const { activeDeadlineSeconds = 0, ttlSecondsAfterFinished, backoffLimit } = job.spec ?? {};
      const { annotations } = job.metadata;
      const deletion = annotations['helm.sh/hook-delete-policy'] ?? '';
      const title = `Job ${job.metadata.name}`;
      if (annotations['helm.sh/hook'] === undefined) yield `${title} is not a hook`;
      if (!deletion.includes('before-hook-creation'))
        yield `${title} blocks the next one: hook-delete-policy is "${deletion}"`;
      if (activeDeadlineSeconds < 60 || activeDeadlineSeconds > 3_600)
        yield `${title} has no deadline between a minute and an hour`;
      if ((ttlSecondsAfterFinished ?? Infinity) > 604_800)
        yield `${title} stays for longer than a week when it fails, also without its release`;
      if ((backoffLimit ?? Infinity) > 6) yield `${title} has no backoffLimit up to 6`;
      if (!['Never', 'OnFailure'].includes(podOf(job).spec.restartPolicy ?? ''))
        yield `${title} has no restartPolicy that is valid for a Job`;
    }
  },
  *'a hook needs nothing of the release, which does not exist yet'(rendered) {
    const later = rendered.objects
      .filter((object) => !isHook(object))
      .map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    for (const job of jobsOf(rendered).filter(isHook)) {
      const { spec, labels } = podOf(job);
      const title = `Job ${job.metadata.name}`;
      const needed = `ServiceAccount ${spec.serviceAccountName ?? 'default'}`;
      const before = job.metadata.annotations['helm.sh/hook']?.startsWith('pre-') === true;
      const policies = objectsOf(rendered, NetworkPolicy.is).filter(
        (policy) => (policy.spec?.egress ?? []).length > 0 && selects(policy.spec?.podSelector ?? {}, labels),
      );
      if (before && later.includes(needed)) yield `${title} needs ${needed}`;
      if (policies.length === 0) yield `no policy lets the pods of ${title} reach anything`;
      if (before && policies.length > 0 && !policies.some(isHook))
        yield `the policy for ${title} is created after it`;
    }
  },
};

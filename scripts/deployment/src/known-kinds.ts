import * as gateway from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1';
import * as keda from '@kubernetes-models/keda/keda.sh/v1alpha1';
import * as monitoring from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import * as apps from 'kubernetes-models/apps/v1';
import * as autoscaling from 'kubernetes-models/autoscaling/v2';
import * as batch from 'kubernetes-models/batch/v1';
import * as networking from 'kubernetes-models/networking.k8s.io/v1';
import * as policy from 'kubernetes-models/policy/v1';
import * as core from 'kubernetes-models/v1';

interface KnownVersion {
  readonly module: string;
  readonly models: Readonly<Record<string, unknown>>;
}

export const KNOWN_VERSIONS: Readonly<Record<string, KnownVersion>> = {
  v1: { module: 'kubernetes-models/v1', models: core },
  'apps/v1': { module: 'kubernetes-models/apps/v1', models: apps },
  'autoscaling/v2': { module: 'kubernetes-models/autoscaling/v2', models: autoscaling },
  'batch/v1': { module: 'kubernetes-models/batch/v1', models: batch },
  'networking.k8s.io/v1': { module: 'kubernetes-models/networking.k8s.io/v1', models: networking },
  'policy/v1': { module: 'kubernetes-models/policy/v1', models: policy },
  'keda.sh/v1alpha1': { module: '@kubernetes-models/keda/keda.sh/v1alpha1', models: keda },
  'monitoring.coreos.com/v1': {
    module: '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1',
    models: monitoring,
  },
  'gateway.networking.k8s.io/v1': {
    module: '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1',
    models: gateway,
  },
};

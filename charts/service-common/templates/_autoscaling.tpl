{{/* By processor time: for services whose work is requests. */}}
{{- define "service-common.horizontalPodAutoscaler" -}}
{{- with .Values.autoscaling -}}
{{- if .enabled -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  {{- include "service-common.metadata" (dict "root" $ "component" "service") | nindent 2 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ include "service-common.fullname" $ }}
  minReplicas: {{ .minReplicas }}
  maxReplicas: {{ .maxReplicas }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target:
          type: Utilization
          averageUtilization: {{ .targetCpuPercent }}
  behavior:
    scaleDown:
      stabilizationWindowSeconds: 300
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
By what waits in queues: for services whose work comes from the broker. Needs KEDA. Without useCachedMetrics its pollingInterval
would count for nothing, since there is always a replica.
*/}}
{{- define "service-common.scaledObject" -}}
{{- $facts := include "service-common.facts" . | fromYaml -}}
{{- $name := include "service-common.fullname" . -}}
{{- with .Values.autoscaling -}}
{{- if .enabled -}}
{{- $scaling := . -}}
apiVersion: keda.sh/v1alpha1
kind: TriggerAuthentication
metadata:
  {{- include "service-common.metadata" (dict "root" $ "component" "service") | nindent 2 }}
spec:
  secretTargetRef:
    - parameter: host
      name: {{ $.Values.existingSecret }}
      key: {{ .managementUrlKey }}
    {{- with .caSecret }}
    - parameter: ca
      name: {{ . }}
      key: ca.crt
    # Without it KEDA leaves the CA aside; it is taken from a secret only.
    - parameter: tls
      name: {{ . }}
      key: tls
    {{- end }}
---
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  {{- include "service-common.metadata" (dict "root" $ "component" "service") | nindent 2 }}
spec:
  scaleTargetRef:
    name: {{ $name }}
  minReplicaCount: {{ .minReplicas }}
  maxReplicaCount: {{ .maxReplicas }}
  pollingInterval: {{ .pollingIntervalSeconds }}
  advanced:
    horizontalPodAutoscalerConfig:
      behavior:
        # KEDA's own cooldownPeriod is for the last replica alone.
        scaleDown:
          stabilizationWindowSeconds: {{ .cooldownSeconds }}
  triggers:
    {{- range $facts.queues }}
    - type: rabbitmq
      name: {{ .value | kebabcase }}
      useCachedMetrics: true
      metadata:
        # Over AMQP the broker does not tell what is taken and not yet acknowledged.
        protocol: http
        queueName: {{ .queue }}
        mode: QueueLength
        value: {{ get $scaling.messagesPerReplica .value | int64 | quote }}
        {{- with $scaling.vhost }}
        vhostName: {{ . | quote }}
        {{- end }}
      authenticationRef:
        name: {{ $name }}
    {{- end }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* What the Pod Security Standard `restricted` asks of a pod. */}}
{{- define "service-common.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{/* What the Pod Security Standard `restricted` asks of a container, and a read-only file system. */}}
{{- define "service-common.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: {{ .Values.readOnlyRootFilesystem }}
runAsNonRoot: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* Pods of one part of the service share the zones and nodes between them, each version for itself. */}}
{{- define "service-common.topologySpread" -}}
{{- $labels := include "service-common.selectorLabels" . -}}
- topologyKey: topology.kubernetes.io/zone
  maxSkew: 1
  whenUnsatisfiable: {{ .root.Values.topologySpread.zone }}
  matchLabelKeys: [pod-template-hash]
  labelSelector:
    matchLabels:
      {{- $labels | nindent 6 }}
- topologyKey: kubernetes.io/hostname
  maxSkew: 1
  whenUnsatisfiable: {{ .root.Values.topologySpread.hostname }}
  matchLabelKeys: [pod-template-hash]
  labelSelector:
    matchLabels:
      {{- $labels | nindent 6 }}
{{- end -}}

{{/* What every pod has: where it runs, as whom, and what it may not. (dict "root" . "component" "service") */}}
{{- define "service-common.podBasics" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  {{- include "service-common.podSecurityContext" .root | nindent 2 }}
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .root.Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
volumes:
  - name: tmp
    emptyDir:
      sizeLimit: {{ .root.Values.tmpSizeLimit }}
  {{- with .root.Values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/* What every container has. (dict "root" . "resources" .Values.resources) */}}
{{- define "service-common.containerBasics" -}}
image: {{ include "service-common.image" .root }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
# A pod that crashed shows its last lines of log in its status, which name a setting that the service refuses.
terminationMessagePolicy: FallbackToLogsOnError
securityContext:
  {{- include "service-common.containerSecurityContext" .root | nindent 2 }}
resources:
  {{- toYaml .resources | nindent 2 }}
volumeMounts:
  - name: tmp
    mountPath: /tmp
  {{- with .root.Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/* Node's own settings, and whatever else the operator wants. (dict "root" . "resources" .Values.resources) */}}
{{- define "service-common.commonVariables" -}}
- name: NODE_OPTIONS
  value: --max-old-space-size={{ include "service-common.heapMebibytes" (dict "limit" .resources.limits.memory "percent" .root.Values.nodeHeapPercent) }}
{{- with .root.Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/*
What a chart tells about its service: the template "<chart>.facts" gives YAML with
  http     whether it serves HTTP on the port `http`
  paths    what of the public address is its own
  egress   which of broker, redis, postgres and internet it may reach
  queues   with KEDA: by what it is scaled, each with the name of its value and the name of the queue
*/}}
{{- define "service-common.facts" -}}
{{- include (printf "%s.facts" .Chart.Name) . -}}
{{- end -}}

{{/* The name of every object: that of the release, with the service's where the release is not named after it. */}}
{{- define "service-common.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* What tells the pods of this release from all others. */}}
{{- define "service-common.releaseLabels" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* The pods of one part of the service, e.g. (dict "root" . "component" "service"): a hook's pod must get no traffic. */}}
{{- define "service-common.selectorLabels" -}}
{{ include "service-common.releaseLabels" .root }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "service-common.labels" -}}
{{ include "service-common.selectorLabels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: partner-integration-service
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "service-common.metadata" -}}
name: {{ default (include "service-common.fullname" .root) .name }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "service-common.labels" . | nindent 2 }}
{{- end -}}

{{- define "service-common.image" -}}
{{- with .Values.image -}}
{{ .repository }}:{{ default "latest" .tag }}{{ with .digest }}@{{ . }}{{ end }}
{{- end -}}
{{- end -}}

{{- define "service-common.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "service-common.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

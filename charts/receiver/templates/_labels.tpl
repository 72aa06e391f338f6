{{- define "receiver.selectorLabels" -}}
app.kubernetes.io/name: receiver
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "receiver.labels" -}}
{{ include "receiver.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: partner-integration-service
{{- end }}

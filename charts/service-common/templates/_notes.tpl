{{- define "service-common.notes" -}}
{{- $facts := include "service-common.facts" . | fromYaml -}}
{{ .Chart.Name }} {{ .Chart.AppVersion }} is installed as {{ include "service-common.fullname" . }} in {{ .Release.Namespace }}, for the {{ .Values.environment }} environment.
{{- if .Values.sandboxRun.earlyReason }}
EARLY RELEASE, less than 14 days in the sandbox: {{ .Values.sandboxRun.earlyReason }}
{{- else if .Values.sandboxRun.since }}
In the sandbox since {{ .Values.sandboxRun.since }}.
{{- end }}

Wait until it is up:
  kubectl --namespace {{ .Release.Namespace }} rollout status deployment/{{ include "service-common.fullname" . }}
What it waits for, and why it is not ready:
  kubectl --namespace {{ .Release.Namespace }} logs --selector app.kubernetes.io/name={{ default .Chart.Name .Values.nameOverride }},app.kubernetes.io/instance={{ .Release.Name }} --tail 20
{{- if $facts.http }}
{{- if .Values.ingress.enabled }}
Its addresses:
{{- range $facts.paths }}
  http{{ if $.Values.ingress.tlsSecretName }}s{{ end }}://{{ $.Values.ingress.host }}{{ . }}
{{- end }}
{{- else if .Values.httpRoute.enabled }}
Its addresses:
{{- range $facts.paths }}
  https://{{ first $.Values.httpRoute.hostnames }}{{ . }}
{{- end }}
{{- else }}
Nothing leads to it from outside (ingress.enabled, httpRoute.enabled). From here:
  kubectl --namespace {{ .Release.Namespace }} port-forward service/{{ include "service-common.fullname" . }} {{ .Values.service.port }}
{{- end }}
{{- end }}
{{- if not .Values.networkPolicy.enabled }}
Network policies are off: every pod of the cluster can reach this service, and it can reach them.
{{- end }}
{{- end -}}

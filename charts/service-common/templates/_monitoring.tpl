{{/* The label `job` of the metrics is the name of the service, whatever the release is called. */}}
{{- define "service-common.serviceMonitor" -}}
{{- with .Values.serviceMonitor -}}
{{- if .enabled -}}
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata:
  {{- include "service-common.metadata" (dict "root" $ "component" "admin") | nindent 2 }}
    {{- with .labels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  jobLabel: app.kubernetes.io/name
  selector:
    matchLabels:
      {{- include "service-common.selectorLabels" (dict "root" $ "component" "admin") | nindent 6 }}
  endpoints:
    - port: admin
      path: /metrics
      interval: {{ .interval }}
      scrapeTimeout: {{ .scrapeTimeout }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
The groups of rules/alerts.yaml, for the namespace of the release alone: each selector is narrowed to it, and each alert bears it
as a label, so that the same alert of another environment is another alert. What stands in braces there is for Prometheus.
*/}}
{{- define "service-common.prometheusRule" -}}
{{- $rules := .Files.Get "rules/alerts.yaml" -}}
{{- with .Values.prometheusRule -}}
{{- if and .enabled $rules -}}
{{- $groups := list -}}
{{- range ($rules | replace "namespace=~\".*\"" (printf "namespace=%q" $.Release.Namespace) | fromYaml).groups -}}
{{- range .rules -}}
{{- $_ := set .labels "namespace" $.Release.Namespace -}}
{{- end -}}
{{- $groups = append $groups . -}}
{{- end -}}
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  {{- include "service-common.metadata" (dict "root" $ "component" "service") | nindent 2 }}
    {{- with .labels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  groups:
    {{- toYaml $groups | nindent 4 }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Every dashboards/<name>.json as a ConfigMap, where Grafana's sidecar finds it. */}}
{{- define "service-common.dashboards" -}}
{{- if .Values.dashboards.enabled -}}
{{- range $path, $bytes := .Files.Glob "dashboards/*.json" }}
{{- $file := base $path }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  {{- include "service-common.metadata" (dict "root" $ "component" "service" "name" (printf "%s-dashboard-%s" (include "service-common.fullname" $) (trimSuffix ".json" $file))) | nindent 2 }}
    grafana_dashboard: "1"
    {{- with $.Values.dashboards.labels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with $.Values.dashboards.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
data:
  {{ $file }}: |-
    {{- toString $bytes | trim | nindent 4 }}
{{- end }}
{{- end -}}
{{- end -}}

{{/* Where something is: addresses, or pods by label in a namespace (absent: the release's own). */}}
{{- define "service-common.peers" -}}
{{- range .cidrs }}
- ipBlock:
    cidr: {{ . }}
{{- end }}
{{- if or .namespace .podLabels (not .cidrs) }}
- podSelector:
    {{- if .podLabels }}
    matchLabels:
      {{- toYaml .podLabels | nindent 6 }}
    {{- else }} {}
    {{- end }}
  {{- with .namespace }}
  namespaceSelector:
    matchLabels:
      kubernetes.io/metadata.name: {{ . }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* A way out over TCP: (dict "place" .Values.networkPolicy.broker). */}}
{{- define "service-common.egressTo" -}}
- to:
    {{- include "service-common.peers" .place | trim | nindent 4 }}
  ports:
    {{- range .place.ports }}
    - protocol: TCP
      port: {{ . }}
    {{- end }}
{{- end -}}

{{- define "service-common.egressToDns" -}}
- to:
    {{- include "service-common.peers" .Values.networkPolicy.dns | trim | nindent 4 }}
  ports:
    {{- range .Values.networkPolicy.dns.ports }}
    - protocol: UDP
      port: {{ . }}
    - protocol: TCP
      port: {{ . }}
    {{- end }}
{{- end -}}

{{/* The ways out of one part of the service: (dict "root" . "egress" (list "broker" "postgres")). */}}
{{- define "service-common.egress" -}}
{{- $policy := .root.Values.networkPolicy -}}
{{ include "service-common.egressToDns" .root }}
{{- range without .egress "internet" }}
{{ include "service-common.egressTo" (dict "place" (get $policy .)) }}
{{- end }}
{{- if has "internet" .egress }}
{{ include (printf "%s.egressToInternet" .root.Chart.Name) .root }}
{{- end }}
{{- if eq (default "none" .root.Values.config.otelTracesExporter) "otlp" }}
{{ include "service-common.egressTo" (dict "place" $policy.collector) }}
{{- end }}
{{- with $policy.extraEgress }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Nothing in or out of any pod of the release; then what the service needs. */}}
{{- define "service-common.networkPolicy" -}}
{{- $facts := include "service-common.facts" . | fromYaml -}}
{{- $part := dict "root" . "component" "service" -}}
{{- $name := include "service-common.fullname" . -}}
{{- if .Values.networkPolicy.enabled -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "service-common.metadata" (dict "root" . "component" "service" "name" (printf "%s-default-deny" $name)) | nindent 2 }}
spec:
  podSelector:
    matchLabels:
      {{- include "service-common.releaseLabels" . | nindent 6 }}
  policyTypes: [Ingress, Egress]
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "service-common.metadata" $part | nindent 2 }}
spec:
  podSelector:
    matchLabels:
      {{- include "service-common.selectorLabels" $part | nindent 6 }}
  policyTypes: [Ingress, Egress]
  ingress:
    {{- if $facts.http }}
    - from:
        {{- include "service-common.peers" .Values.networkPolicy.gateway | trim | nindent 8 }}
      ports:
        - protocol: TCP
          port: {{ .Values.config.httpPort }}
    {{- end }}
    - from:
        {{- include "service-common.peers" .Values.networkPolicy.monitoring | trim | nindent 8 }}
      ports:
        - protocol: TCP
          port: {{ .Values.config.adminPort }}
    {{- with .Values.networkPolicy.extraIngress }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  egress:
    {{- include "service-common.egress" (dict "root" . "egress" $facts.egress) | nindent 4 }}
{{- end -}}
{{- end -}}

{{/* Many versions of ingress-nginx refuse a dot in a path of type Prefix, and take one of type ImplementationSpecific by its prefix. */}}
{{- define "service-common.ingress" -}}
{{- $facts := include "service-common.facts" . | fromYaml -}}
{{- $name := include "service-common.fullname" . -}}
{{- with .Values.ingress -}}
{{- if .enabled -}}
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  {{- include "service-common.metadata" (dict "root" $ "component" "service") | nindent 2 }}
  {{- with .annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- with .className }}
  ingressClassName: {{ . }}
  {{- end }}
  {{- if .tlsSecretName }}
  tls:
    - hosts: [{{ .host | quote }}]
      secretName: {{ .tlsSecretName }}
  {{- end }}
  rules:
    - host: {{ .host | quote }}
      http:
        paths:
          {{- range $facts.paths }}
          - path: {{ . }}
            pathType: {{ if eq . "/" }}Exact{{ else }}{{ ternary "ImplementationSpecific" "Prefix" (contains "." .) }}{{ end }}
            backend:
              service:
                name: {{ $name }}
                port:
                  name: http
          {{- end }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "service-common.httpRoute" -}}
{{- $facts := include "service-common.facts" . | fromYaml -}}
{{- $name := include "service-common.fullname" . -}}
{{- with .Values.httpRoute -}}
{{- $route := . -}}
{{- if .enabled -}}
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata:
  {{- include "service-common.metadata" (dict "root" $ "component" "service") | nindent 2 }}
  {{- with .annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  parentRefs:
    {{- toYaml .parentRefs | nindent 4 }}
  hostnames:
    {{- toYaml .hostnames | nindent 4 }}
  rules:
    {{- /* The Gateway API allows a rule no more. */ -}}
    {{- range chunk 8 $facts.paths }}
    - matches:
        {{- range . }}
        - path:
            type: {{ ternary "Exact" "PathPrefix" (eq . "/") }}
            value: {{ . }}
        {{- end }}
      {{- with $route.timeouts }}
      timeouts:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $route.sessionPersistence }}
      sessionPersistence:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      backendRefs:
        - name: {{ $name }}
          port: {{ $.Values.service.port }}
    {{- end }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "installer-gateway.facts" -}}
http: true
paths: [/partner/v1]
egress: [broker, redis]
{{- end -}}

{{- define "installer-gateway.violations" -}}
{{- end -}}

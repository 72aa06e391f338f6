{{- define "inbound-gateway.facts" -}}
http: true
paths: [/inbound]
egress: [broker, redis]
{{- end -}}

{{- define "inbound-gateway.violations" -}}
{{- end -}}

{{- define "installer-gateway.facts" -}}
http: true
paths: [/partner/v1]
egress: [broker, redis]
optionalSecrets: [shardAmqpUrls]
{{- end -}}

{{- define "installer-gateway.violations" -}}
{{- end -}}

{{- define "inbound-gateway.facts" -}}
http: true
paths: [/inbound]
egress: [broker, redis]
optionalSecrets: [shardAmqpUrls]
{{- end -}}

{{- define "inbound-gateway.violations" -}}
{{- end -}}

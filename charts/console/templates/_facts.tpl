{{- define "console.facts" -}}
http: true
paths: [/, /partner-api, /automation, /console, /docs, /clients, /.well-known/webhooks, /openapi.json, /llms.txt]
egress: [broker, redis, mail, identityProvider]
optionalSecrets: [smtpUrl, oidcClientSecret]
{{- end -}}

{{- define "console.violations" -}}
{{- with .Values.config -}}
{{- if not .publicBaseUrl }}
- config.publicBaseUrl is not set
{{- else if and (eq $.Values.environment "production") (not (hasPrefix "https://" .publicBaseUrl)) }}
- config.publicBaseUrl must begin with https:// in production
{{- end }}
{{- if .oidcIssuer }}
{{- if not .oidcClientId }}
- "config.oidcIssuer is set, and config.oidcClientId is not: name this service's id at the provider"
{{- end }}
{{- if and (eq $.Values.environment "production") (not (hasPrefix "https://" .oidcIssuer)) }}
- config.oidcIssuer must begin with https:// in production
{{- end }}
{{- end }}
{{- end -}}
{{- $route := .Values.httpRoute.timeouts | default dict }}
{{- $epoch := toDate "2006" "2000" }}
{{- $request := $epoch | mustDateModify (default "0s" $route.request) }}
{{- $backend := $epoch | mustDateModify (default "0s" $route.backendRequest) }}
{{- if and ($request.After $epoch) ($backend.After $request) }}
- httpRoute.timeouts.backendRequest ({{ $route.backendRequest }}) is longer than httpRoute.timeouts.request ({{ $route.request }})
{{- end }}
{{- end -}}

{{/* The environment variable of a value: rpcTimeoutMs gives RPC_TIMEOUT_MS. */}}
{{- define "service-common.variable" -}}
{{- snakecase . | upper -}}
{{- end -}}

{{/* A value as text. Numbers from YAML are floating point: 1000000 must not become 1e+06. */}}
{{- define "service-common.text" -}}
{{- if kindIs "float64" . -}}{{ int64 . }}{{- else -}}{{ . }}{{- end -}}
{{- end -}}

{{/*
The settings of the service that are no secrets, as YAML: PARTNER_ENVIRONMENT, what the release says of itself, and each value of `config` under the name of
its variable. A value that is null or empty is left to the service, but for
those that the chart knows better: the prefix in Redis and the number of replicas.
*/}}
{{- define "service-common.settings" -}}
PARTNER_ENVIRONMENT: {{ .Values.environment | quote }}
RELEASE_VERSION: {{ default "" .Values.image.tag | quote }}
RELEASE_SANDBOX_SINCE: {{ .Values.sandboxRun.since | quote }}
RELEASE_EARLY_REASON: {{ .Values.sandboxRun.earlyReason | quote }}
{{- range $key, $value := .Values.config }}
{{- $text := ternary "" (include "service-common.text" $value) (kindIs "invalid" $value) }}
{{- if $text }}
{{ include "service-common.variable" $key }}: {{ $text | quote }}
{{- end }}
{{- end }}
{{- if and (hasKey .Values.config "redisKeyPrefix") (not .Values.config.redisKeyPrefix) }}
REDIS_KEY_PREFIX: {{ ternary "partner:" "partner-sandbox:" (eq .Values.environment "production") | quote }}
{{- end }}
{{- if and (hasKey .Values.config "rateLimitReplicas") (not .Values.config.rateLimitReplicas) }}
RATE_LIMIT_REPLICAS: {{ ternary .Values.autoscaling.maxReplicas .Values.replicaCount .Values.autoscaling.enabled | int64 | quote }}
{{- end }}
{{- end -}}

{{/* One variable out of the existing secret: (dict "root" . "variable" "AMQP_URL" "key" "AMQP_URL"); with "optional" true a secret without the key will do. */}}
{{- define "service-common.secretVariable" -}}
- name: {{ .variable }}
  valueFrom:
    secretKeyRef:
      name: {{ .root.Values.existingSecret }}
      key: {{ .key }}
      {{- if .optional }}
      optional: true
      {{- end }}
{{- end -}}

{{/* Node's heap in MiB: a share of the memory limit, since buffers, sockets and threads need the rest. */}}
{{- define "service-common.heapMebibytes" -}}
{{- $limit := toString .limit -}}
{{- $mebibytes := 0 -}}
{{- if hasSuffix "Gi" $limit -}}
{{- $mebibytes = mulf 1024 (trimSuffix "Gi" $limit | float64) -}}
{{- else if hasSuffix "Mi" $limit -}}
{{- $mebibytes = trimSuffix "Mi" $limit | float64 -}}
{{- else -}}
{{- fail (printf "resources.limits.memory must be in Mi or Gi, and is %s" $limit) -}}
{{- end -}}
{{- divf (mulf $mebibytes .percent) 100 | floor | int64 -}}
{{- end -}}

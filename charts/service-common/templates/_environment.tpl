{{/* The environment variable of a value: rpcTimeoutMs gives RPC_TIMEOUT_MS. */}}
{{- define "service-common.variable" -}}
{{- snakecase . | upper -}}
{{- end -}}

{{/* A value as text. Numbers from YAML are floating point: 1000000 must not become 1e+06. */}}
{{- define "service-common.text" -}}
{{- if kindIs "float64" . -}}{{ int64 . }}{{- else -}}{{ . }}{{- end -}}
{{- end -}}

{{/*
The settings of the service that are no secrets, as variables of a container: PARTNER_ENVIRONMENT, the release's own facts, and each
value of `config`. The service has its own default for an empty value, except for the prefix in Redis. They stand in the pod template:
after a failed upgrade, a pod of the old version restarts with the old settings.
*/}}
{{- define "service-common.settings" -}}
- name: PARTNER_ENVIRONMENT
  value: {{ .Values.environment | quote }}
- name: RELEASE_VERSION
  value: {{ default "" .Values.image.tag | quote }}
- name: RELEASE_SANDBOX_SINCE
  value: {{ .Values.sandboxRun.since | quote }}
- name: RELEASE_EARLY_REASON
  value: {{ .Values.sandboxRun.earlyReason | quote }}
{{- range $key, $value := .Values.config }}
{{- $text := ternary "" (include "service-common.text" $value) (kindIs "invalid" $value) }}
{{- if $text }}
- name: {{ include "service-common.variable" $key }}
  value: {{ $text | quote }}
{{- end }}
{{- end }}
{{- if and (hasKey .Values.config "redisKeyPrefix") (not .Values.config.redisKeyPrefix) }}
- name: REDIS_KEY_PREFIX
  value: {{ ternary "partner:" "partner-sandbox:" (eq .Values.environment "production") | quote }}
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

{{/* Seconds of a duration of Prometheus, e.g. 30s or 1m. */}}
{{- define "service-common.seconds" -}}
{{- mul (regexFind "[0-9]+" . | int64) (ternary 60 1 (hasSuffix "m" .)) -}}
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

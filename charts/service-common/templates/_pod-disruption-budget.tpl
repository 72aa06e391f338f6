{{- define "service-common.podDisruptionBudget" -}}
{{- $part := dict "root" . "component" "service" -}}
{{- if .Values.podDisruptionBudget.enabled -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "service-common.metadata" $part | nindent 2 }}
spec:
  maxUnavailable: 1
  # A pod that is not ready serves no request: it must not stop a node from being emptied.
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "service-common.selectorLabels" $part | nindent 6 }}
{{- end -}}
{{- end -}}

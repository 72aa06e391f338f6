{{- define "service-common.configMap" -}}
apiVersion: v1
kind: ConfigMap
metadata:
  {{- include "service-common.metadata" (dict "root" . "component" "service") | nindent 2 }}
data:
  {{- include "service-common.settings" . | nindent 2 }}
{{- end -}}

{{/* No service talks to Kubernetes: the account has no rights and no pod gets its token. */}}
{{- define "service-common.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "service-common.metadata" (dict "root" . "component" "service" "name" (include "service-common.serviceAccountName" .)) | nindent 2 }}
  {{- with .Values.serviceAccount.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
{{- end -}}
{{- end -}}

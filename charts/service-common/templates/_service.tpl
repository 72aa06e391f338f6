{{/* One Service for callers, where there are any, and one for the admin port. */}}
{{- define "service-common.service" -}}
{{- $facts := include "service-common.facts" . | fromYaml -}}
{{- $part := dict "root" . "component" "service" -}}
{{- if $facts.http -}}
apiVersion: v1
kind: Service
metadata:
  {{- include "service-common.metadata" $part | nindent 2 }}
  {{- with .Values.service.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  type: ClusterIP
  selector:
    {{- include "service-common.selectorLabels" $part | nindent 4 }}
  ports:
    - name: http
      port: {{ .Values.service.port }}
      targetPort: http
      protocol: TCP
      appProtocol: http
---
{{ end -}}
{{- $admin := dict "root" . "component" "admin" "name" (printf "%s-admin" (include "service-common.fullname" .)) -}}
apiVersion: v1
kind: Service
metadata:
  {{- include "service-common.metadata" $admin | nindent 2 }}
spec:
  # Who measures wants each pod, also one that is not ready.
  clusterIP: None
  publishNotReadyAddresses: true
  selector:
    {{- include "service-common.selectorLabels" $part | nindent 4 }}
  ports:
    - name: admin
      port: 9100
      targetPort: admin
      protocol: TCP
      appProtocol: http
{{- end -}}

{{/*
A program of the service that runs once at installations and upgrades, and the network policy that lets it. Both are hooks and go
away when they have succeeded; a job that failed stays to be read, and with `keep` one that succeeded too. It waits for what it needs for as long
as `activeDeadlineSeconds` says. Helm 4 prints what a program
that failed has printed. It has an account without rights, since the chart's own is not there yet when a release is installed.
  (dict "root" . "component" "migrate" "hook" "pre-install,pre-upgrade" "program" "dist/migrate.js" "egress" (list "postgres")
        "variables" "<YAML list>" "job" .Values.migrations)
*/}}
{{- define "service-common.hookJob" -}}
{{- $root := .root -}}
{{- $name := printf "%s-%s" (include "service-common.fullname" $root) .component -}}
{{- $metadata := dict "root" $root "component" .component "name" $name -}}
apiVersion: batch/v1
kind: Job
metadata:
  {{- include "service-common.metadata" $metadata | nindent 2 }}
  annotations:
    helm.sh/hook: {{ .hook }}
    helm.sh/hook-weight: "0"
    helm.sh/hook-output-log-policy: hook-failed
    helm.sh/hook-delete-policy: before-hook-creation{{ if not .keep }},hook-succeeded{{ end }}
spec:
  backoffLimit: {{ .job.backoffLimit }}
  activeDeadlineSeconds: {{ .job.activeDeadlineSeconds }}
  ttlSecondsAfterFinished: {{ .job.ttlSecondsAfterFinished }}
  template:
    metadata:
      labels:
        {{- with $root.Values.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
        {{- include "service-common.labels" $metadata | nindent 8 }}
      {{- with $root.Values.podAnnotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      {{- include "service-common.podBasics" $metadata | nindent 6 }}
      serviceAccountName: default
      restartPolicy: Never
      containers:
        - name: {{ $root.Chart.Name }}
          {{- include "service-common.containerBasics" (dict "root" $root "resources" .job.resources) | nindent 10 }}
          args: [--enable-source-maps, {{ .program }}]
          env:
            {{- .variables | trim | nindent 12 }}
            {{- include "service-common.commonVariables" (dict "root" $root "resources" .job.resources) | nindent 12 }}
{{- if $root.Values.networkPolicy.enabled }}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "service-common.metadata" $metadata | nindent 2 }}
  annotations:
    helm.sh/hook: {{ .hook }}
    helm.sh/hook-weight: "-1"
    helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
spec:
  podSelector:
    matchLabels:
      {{- include "service-common.selectorLabels" $metadata | nindent 6 }}
  policyTypes: [Ingress, Egress]
  egress:
    {{- include "service-common.egress" (dict "root" $root "egress" .egress) | nindent 4 }}
{{- end }}
{{- end -}}

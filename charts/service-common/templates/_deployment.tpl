{{- define "service-common.probes" -}}
# The process has two minutes to come up. A service that waits for the broker or the database at its start is up: it is
# not ready, and is not started again for it however long it waits.
startupProbe:
  httpGet:
    path: /livez
    port: admin
  periodSeconds: 2
  timeoutSeconds: 2
  failureThreshold: 60
readinessProbe:
  httpGet:
    path: /readyz
    port: admin
  periodSeconds: 5
  timeoutSeconds: 3
  failureThreshold: 2
# The event loop and nothing else: a restart helps against nothing that is outside of the process.
livenessProbe:
  httpGet:
    path: /livez
    port: admin
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
{{- end -}}

{{- define "service-common.deployment" -}}
{{- include "service-common.validate" . -}}
{{- $facts := include "service-common.facts" . | fromYaml -}}
{{- $part := dict "root" . "component" "service" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "service-common.metadata" $part | nindent 2 }}
spec:
  {{- if not .Values.autoscaling.enabled }}
  replicas: {{ .Values.replicaCount }}
  {{- end }}
  revisionHistoryLimit: {{ .Values.revisionHistoryLimit }}
  progressDeadlineSeconds: {{ .Values.progressDeadlineSeconds }}
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxUnavailable: 0
      maxSurge: {{ .Values.maxSurge }}
  selector:
    matchLabels:
      {{- include "service-common.selectorLabels" $part | nindent 6 }}
  template:
    metadata:
      labels:
        {{- with .Values.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
        {{- include "service-common.labels" $part | nindent 8 }}
      {{- with .Values.podAnnotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      {{- include "service-common.podBasics" $part | nindent 6 }}
      serviceAccountName: {{ include "service-common.serviceAccountName" . }}
      terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds }}
      topologySpreadConstraints:
        {{- include "service-common.topologySpread" $part | nindent 8 }}
      containers:
        - name: {{ .Chart.Name }}
          {{- include "service-common.containerBasics" (dict "root" . "resources" .Values.resources) | nindent 10 }}
          ports:
            {{- if $facts.http }}
            - name: http
              containerPort: {{ .Values.config.httpPort }}
            {{- end }}
            - name: admin
              containerPort: {{ .Values.config.adminPort }}
          env:
            {{- include "service-common.settings" . | nindent 12 }}
            {{- range $key, $secretKey := .Values.secretKeys }}
            {{- if not (has $key (default list $facts.secretsOfOthers)) }}
            {{- include "service-common.secretVariable" (dict "root" $ "variable" (include "service-common.variable" $key) "key" $secretKey "optional" (has $key (default list $facts.optionalSecrets))) | nindent 12 }}
            {{- end }}
            {{- end }}
            {{- include "service-common.commonVariables" (dict "root" . "resources" .Values.resources) | nindent 12 }}
          {{- include "service-common.probes" . | nindent 10 }}
          # While it sleeps, load balancers learn that the pod goes. No shell is needed for it.
          lifecycle:
            preStop:
              sleep:
                seconds: {{ .Values.preStopSleepSeconds }}
{{- end -}}

{{/* The owner's URL is for the migration alone, and the simulator signs in at the broker as the platform would. */}}
{{- define "job-state.facts" -}}
http: false
egress: [broker, postgres]
optionalSecrets: [webhookSigningKeys]
secretsOfOthers: [postgresOwnerUrl, simulatorAmqpUrl]
queues:
  - { value: inboundRpc, queue: job-state.inbound-rpc }
  - { value: installerRpc, queue: job-state.installer-rpc }
  - { value: managementRpc, queue: job-state.management-rpc }
  - { value: platformMessages, queue: job-state.platform-messages }
  - { value: deliveryResults, queue: job-state.delivery-results }
{{- end -}}

{{- define "job-state.violations" -}}
{{- if eq .Values.environment "production" }}
{{- if .Values.seed.enabled }}
- seed.enabled must be false in production
{{- end }}
{{- if .Values.simulator.enabled }}
- simulator.enabled must be false in production
{{- end }}
{{- if ne (int64 .Values.config.webhookRetryBaseMs) 60000 }}
- config.webhookRetryBaseMs must be 60000 in production
{{- end }}
{{- end }}
{{- if and .Values.seed.enabled (not .Values.migrations.enabled) }}
- "seed.enabled needs migrations.enabled, since the job fills the tables of the new version: where dist/migrate.js is run by other means, run dist/seed-sandbox.js behind it"
{{- end }}
{{- end -}}

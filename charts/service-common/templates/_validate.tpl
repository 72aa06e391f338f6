{{/*
Refuses values that contradict each other, all at once. What can be said of one value alone is in values.schema.json. A chart
adds its own in the template "<chart>.violations", a YAML list of sentences.
*/}}
{{- define "service-common.validate" -}}
{{- $facts := include "service-common.facts" . | fromYaml -}}
{{- $values := .Values -}}
{{- $isProduction := eq .Values.environment "production" -}}
{{- $violations := list -}}
{{- if not .Values.existingSecret -}}
{{- $violations = append $violations (printf "existingSecret is not set: name the secret that holds %s; this chart creates none" (values .Values.secretKeys | sortAlpha | join ", ")) -}}
{{- end -}}
{{- if .Values.development.enabled -}}
{{- if $isProduction -}}
{{- $violations = append $violations "development.enabled must be false in production" -}}
{{- end -}}
{{- else -}}
{{- if not .Values.readOnlyRootFilesystem -}}
{{- $violations = append $violations "readOnlyRootFilesystem may be false only with development.enabled" -}}
{{- end -}}
{{- if or (not .Values.image.tag) (eq .Values.image.tag "latest") -}}
{{- $violations = append $violations "image.tag must name one version: an empty tag and latest are accepted only with development.enabled" -}}
{{- end -}}
{{- /* As container engines read a name: its first part is a registry only with a dot or a port in it. */ -}}
{{- if not (regexMatch "^(localhost|[^/]*[.:][^/]*)/" .Values.image.repository) -}}
{{- $violations = append $violations (printf "image.repository (%s) names no registry, and would be pulled from docker.io: put the host of your registry before it, e.g. registry.example.com/%s" .Values.image.repository .Values.image.repository) -}}
{{- end -}}
{{- end -}}
{{- if and .Values.image.digest (contains "@" (default "" .Values.image.tag)) -}}
{{- $violations = append $violations "image.digest is set, and image.tag has a digest as well" -}}
{{- end -}}
{{- if and $isProduction (not (trim .Values.sandboxRun.earlyReason)) -}}
{{- $image := printf "%s%s" (default "" .Values.image.tag) (ternary (printf "@%s" .Values.image.digest) "" (ne .Values.image.digest "")) -}}
{{- with .Values.sandboxRun -}}
{{- $since := toDate "2006-01-02T15:04:05Z07:00" (printf "%sT00:00:00Z" .since) -}}
{{- $ready := $since | dateModify "336h" -}}
{{- if or (not .since) (ne (default "" .imageTag) $image) -}}
{{- $violations = append $violations (printf "sandboxRun does not say since when this image runs in the sandbox: set sandboxRun.imageTag to %s and sandboxRun.since to the day, or give the reason for an early release in sandboxRun.earlyReason" $image) -}}
{{- else if ne (dateInZone "2006-01-02" $since "UTC") .since -}}
{{- $violations = append $violations (printf "sandboxRun.since (%s) is not a day of the calendar" .since) -}}
{{- else if gt ($ready | unixEpoch | int64) (now | unixEpoch | int64) -}}
{{- $violations = append $violations (printf "sandboxRun.since (%s) is less than 14 days ago: production accepts %s from %s on, or earlier with a reason in sandboxRun.earlyReason" .since $image (dateInZone "2006-01-02" $ready "UTC")) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- with .Values.autoscaling -}}
{{- if and .enabled (gt (int64 .minReplicas) (int64 .maxReplicas)) -}}
{{- $violations = append $violations (printf "autoscaling.minReplicas (%d) is more than autoscaling.maxReplicas (%d)" (int64 .minReplicas) (int64 .maxReplicas)) -}}
{{- end -}}
{{- end -}}
{{- $needed := addf .Values.preStopSleepSeconds (divf .Values.config.shutdownGraceMs 1000) | ceil | int64 -}}
{{- if lt (int64 .Values.terminationGracePeriodSeconds) $needed -}}
{{- $violations = append $violations (printf "terminationGracePeriodSeconds (%d) is too short: preStopSleepSeconds and config.shutdownGraceMs take %d s, and a process that is still running by then is killed" (int64 .Values.terminationGracePeriodSeconds) $needed) -}}
{{- end -}}
{{- range $name := list "adminHost" "httpHost" -}}
{{- with get $values.config $name -}}
{{- if not (has . (list "0.0.0.0" "::")) -}}
{{- $violations = append $violations (printf "config.%s (%s) must be 0.0.0.0, or :: for IPv6: probes and callers come to the pod's own address, which is not known before" $name .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if eq (default "none" .Values.config.otelTracesExporter) "otlp" -}}
{{- with .Values.config.otelExporterOtlpEndpoint -}}
{{- $port := . | regexFind "//[^/?#]*" | regexFind ":[0-9]+$" | trimPrefix ":" | default (ternary "443" "80" (hasPrefix "https:" .)) -}}
{{- $ports := toStrings $values.networkPolicy.collector.ports -}}
{{- if and $values.networkPolicy.enabled (not (has $port $ports)) -}}
{{- $violations = append $violations (printf "config.otelExporterOtlpEndpoint (%s) leads to port %s, but networkPolicy.collector.ports allows only %s: add the port there, or fix the endpoint" . $port (join ", " $ports)) -}}
{{- end -}}
{{- $isAllowed := has "OTEL_EXPORTER_OTLP_ENDPOINT" (splitList "," (default "" $values.config.allowPlaintext)) -}}
{{- if and $isProduction (not $isAllowed) (not (regexMatch "^(https:|http://(localhost|127(\\.[0-9]+){3}|\\[::1\\])([:/]|$))" .)) -}}
{{- $violations = append $violations (printf "config.otelExporterOtlpEndpoint (%s) must begin with https:// in production, or config.allowPlaintext must name OTEL_EXPORTER_OTLP_ENDPOINT" .) -}}
{{- end -}}
{{- else -}}
{{- $violations = append $violations "config.otelTracesExporter is otlp, and config.otelExporterOtlpEndpoint is empty: name the collector, e.g. http://collector.monitoring:4318" -}}
{{- end -}}
{{- end -}}
{{- range $name := list "app.kubernetes.io/name" "app.kubernetes.io/instance" "app.kubernetes.io/component" "app.kubernetes.io/version" "app.kubernetes.io/part-of" "app.kubernetes.io/managed-by" "helm.sh/chart" -}}
{{- if hasKey $values.podLabels $name -}}
{{- $violations = append $violations (printf "podLabels sets %s, which this chart sets" $name) -}}
{{- end -}}
{{- end -}}
{{- $volumes := list "tmp" -}}
{{- range .Values.extraVolumes -}}
{{- if has .name $volumes -}}
{{- $violations = append $violations (printf "extraVolumes names the volume %s, which already exists" .name) -}}
{{- end -}}
{{- $volumes = append $volumes .name -}}
{{- end -}}
{{- $mountPaths := list "/tmp" -}}
{{- range .Values.extraVolumeMounts -}}
{{- if not (has .name $volumes) -}}
{{- $violations = append $violations (printf "extraVolumeMounts mounts the volume %s, which extraVolumes does not name" .name) -}}
{{- end -}}
{{- $mountPath := trimSuffix "/" .mountPath -}}
{{- if has $mountPath $mountPaths -}}
{{- $violations = append $violations (printf "extraVolumeMounts mounts at %s, where a volume is mounted already" .mountPath) -}}
{{- end -}}
{{- $mountPaths = append $mountPaths $mountPath -}}
{{- end -}}
{{- range $part := list "" "migrations" "seed" "simulator" -}}
{{- with get (ternary $values (get $values $part | default dict) (eq $part "")) "resources" -}}
{{- $requested := include "service-common.heapMebibytes" (dict "limit" .requests.memory "percent" 100) | int64 -}}
{{- if gt $requested (include "service-common.heapMebibytes" (dict "limit" .limits.memory "percent" 100) | int64) -}}
{{- $violations = append $violations (printf "%s.requests.memory (%s) is more than its limit (%s)" (ternary "resources" (printf "%s.resources" $part) (eq $part "")) .requests.memory .limits.memory) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- with .Values.serviceMonitor -}}
{{- if gt (include "service-common.seconds" .scrapeTimeout | int64) (include "service-common.seconds" .interval | int64) -}}
{{- $violations = append $violations (printf "serviceMonitor.scrapeTimeout (%s) is longer than serviceMonitor.interval (%s): the Prometheus operator would drop the monitor" .scrapeTimeout .interval) -}}
{{- end -}}
{{- end -}}
{{- range $rules := list "extraIngress" "extraEgress" -}}
{{- range get $values.networkPolicy $rules -}}
{{- range concat (default list .from) (default list .to) -}}
{{- with .ipBlock -}}
{{- $cidr := .cidr -}}
{{- range .except -}}
{{- if not (include "service-common.isPartOf" (dict "cidr" $cidr "part" .)) -}}
{{- $violations = append $violations (printf "networkPolicy.%s excepts %s, which is not a smaller range within %s" $rules . $cidr) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range .ports -}}
{{- if lt (int64 (default .port .endPort)) (int64 .port) -}}
{{- $violations = append $violations (printf "networkPolicy.%s has ports from %d to %d" $rules (int64 .port) (int64 .endPort)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $extraNames := list -}}
{{- range .Values.extraEnv -}}
{{- $name := .name -}}
{{- $isSetting := has $name (list "PARTNER_ENVIRONMENT" "NODE_OPTIONS" "RELEASE_VERSION" "RELEASE_SANDBOX_SINCE" "RELEASE_EARLY_REASON") -}}
{{- range concat (keys $values.config) (keys $values.secretKeys) -}}
{{- if eq (include "service-common.variable" .) $name -}}
{{- $isSetting = true -}}
{{- end -}}
{{- end -}}
{{- if $isSetting -}}
{{- $violations = append $violations (printf "extraEnv sets %s, which this chart sets: use its value instead" $name) -}}
{{- end -}}
{{- if has $name $extraNames -}}
{{- $violations = append $violations (printf "extraEnv sets %s twice" $name) -}}
{{- end -}}
{{- $extraNames = append $extraNames $name -}}
{{- end -}}
{{- if $facts.http -}}
{{- if eq (int64 .Values.config.httpPort) (int64 .Values.config.adminPort) -}}
{{- $violations = append $violations (printf "config.httpPort and config.adminPort are both %d: choose two different ports" (int64 .Values.config.httpPort)) -}}
{{- end -}}
{{- if and .Values.ingress.enabled .Values.httpRoute.enabled -}}
{{- $violations = append $violations "ingress.enabled and httpRoute.enabled are both true: enable only one of them" -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.host) -}}
{{- $violations = append $violations "ingress.host is not set" -}}
{{- end -}}
{{- if and .Values.httpRoute.enabled (not .Values.httpRoute.hostnames) -}}
{{- $violations = append $violations "httpRoute.hostnames is empty" -}}
{{- end -}}
{{- if and .Values.httpRoute.enabled (not .Values.httpRoute.parentRefs) -}}
{{- $violations = append $violations "httpRoute.parentRefs is empty: name the Gateway" -}}
{{- end -}}
{{- $scaled := ternary "autoscaling.maxReplicas" "replicaCount" .Values.autoscaling.enabled -}}
{{- $replicas := ternary .Values.autoscaling.maxReplicas .Values.replicaCount .Values.autoscaling.enabled | int64 -}}
{{- $sharing := int64 .Values.config.rateLimitReplicas -}}
{{- if gt $replicas $sharing -}}
{{- $violations = append $violations (printf "%s (%d) is more than config.rateLimitReplicas (%d): without Redis, that many replicas together would exceed the rate limits" $scaled $replicas $sharing) -}}
{{- end -}}
{{- $grace := int64 .Values.config.shutdownGraceMs -}}
{{- if lt $grace (add (int64 .Values.config.rpcTimeoutMs) 2000) -}}
{{- $violations = append $violations "config.shutdownGraceMs is shorter than config.rpcTimeoutMs and the 2 s in which connections are closed: requests in flight would be cut off" -}}
{{- end -}}
{{- end -}}
{{- $violations = concat $violations (include (printf "%s.violations" .Chart.Name) . | fromYamlArray) -}}
{{- if $violations -}}
{{- fail (printf "\n\nThe values of %s cannot be used:\n  - %s\n" .Chart.Name (join "\n  - " $violations)) -}}
{{- end -}}
{{- end -}}

{{/* True if a range is within another one and smaller, as Kubernetes requires of `except`: (dict "cidr" "10.0.0.0/8" "part" "10.1.0.0/16"). */}}
{{- define "service-common.isPartOf" -}}
{{- $bits := splitList "/" .cidr | last | int -}}
{{- $outer := include "service-common.addressGroups" .cidr | splitList "," -}}
{{- $inner := include "service-common.addressGroups" .part | splitList "," -}}
{{- $isPart := and (eq (len $outer) (len $inner)) (gt (splitList "/" .part | last | int) $bits) -}}
{{- range $index, $group := $outer -}}
{{- $divisor := 1 -}}
{{- range until (sub 16 (sub $bits (mul 16 $index)) | max 0 | min 16 | int) -}}
{{- $divisor = mul 2 $divisor -}}
{{- end -}}
{{- if $isPart -}}
{{- $isPart = eq (div (int64 $group) $divisor) (div (int64 (index $inner $index)) $divisor) -}}
{{- end -}}
{{- end -}}
{{- ternary "true" "" $isPart -}}
{{- end -}}

{{/* The address of a range in groups of 16 bits, separated by commas. */}}
{{- define "service-common.addressGroups" -}}
{{- $address := splitList "/" . | first -}}
{{- if contains ":" $address -}}
{{- $halves := splitList "::" $address -}}
{{- $before := without (splitList ":" (first $halves)) "" -}}
{{- $after := without (splitList ":" (rest $halves | join ":")) "" -}}
{{- $groups := $before -}}
{{- range until (sub 8 (add (len $before) (len $after)) | int) -}}
{{- $groups = append $groups "0" -}}
{{- end -}}
{{- range $index, $group := concat $groups $after -}}
{{- if $index }},{{ end }}0x{{ $group -}}
{{- end -}}
{{- else -}}
{{- $bytes := splitList "." $address -}}
{{- add (mul 256 (index $bytes 0)) (index $bytes 1) }},{{ add (mul 256 (index $bytes 2)) (index $bytes 3) -}}
{{- end -}}
{{- end -}}

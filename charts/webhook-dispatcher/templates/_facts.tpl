{{- define "webhook-dispatcher.facts" -}}
http: false
egress: [broker, internet]
queues:
  - { value: deliveries, queue: webhook-dispatcher.deliveries }
{{- end -}}

{{/*
No attempt begins once the service receives SIGTERM. One in flight takes 10 s at most; its result is then published and
confirmed, and the command acknowledged.
*/}}
{{- define "webhook-dispatcher.violations" -}}
{{- if lt (int64 .Values.config.shutdownGraceMs) 15000 }}
- config.shutdownGraceMs must be 15000 at least, since an attempt takes up to 10 s and its result up to 5 s more
{{- end }}
{{- with .Values.config.dnsServers }}
{{- if $.Values.networkPolicy.enabled }}
{{- if not $.Values.networkPolicy.dns.cidrs }}
- "config.dnsServers ({{ . }}) needs networkPolicy.dns.cidrs, e.g. 192.0.2.53/32: the network policy blocks lookups at other addresses than those of the cluster's own DNS"
{{- end }}
{{- $ports := toStrings $.Values.networkPolicy.dns.ports }}
{{- range regexFindAll `:[0-9]+\s*(,|$)` . -1 }}
{{- $port := regexFind "[0-9]+" . }}
{{- if not (has $port $ports) }}
- "config.dnsServers has the port {{ $port }}, and networkPolicy.dns.ports lets lookups through to {{ join ", " $ports }} alone: add the port there"
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- with .Values.config.webhookDevCaFile }}
{{- $file := . }}
{{- $isMounted := false }}
{{- range $.Values.extraVolumeMounts }}
{{- $isMounted = or $isMounted (eq .mountPath $file) (hasPrefix (printf "%s/" (trimSuffix "/" .mountPath)) $file) }}
{{- end }}
{{- if not $isMounted }}
- "config.webhookDevCaFile ({{ . }}) is in no volume of extraVolumeMounts"
{{- end }}
{{- end }}
{{- range $name := list "webhookDevHosts" "webhookDevCaFile" }}
{{- if get $.Values.config $name }}
{{- if eq $.Values.environment "production" }}
- config.{{ $name }} must not be set in production
{{- else if not $.Values.development.enabled }}
- config.{{ $name }} may be set only with development.enabled
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/*
Port 443 of every public address: what services/webhook-dispatcher/src/address-rules.ts lets through, should its check ever be
passed by. IPv6 begins with what is given out for the public internet, and loses what is not public in it.
*/}}
{{- define "webhook-dispatcher.egressToInternet" -}}
- to:
    - ipBlock:
        cidr: 0.0.0.0/0
        except:
          - 0.0.0.0/8
          - 10.0.0.0/8
          - 100.64.0.0/10
          - 127.0.0.0/8
          - 168.63.129.16/32
          - 169.254.0.0/16
          - 172.16.0.0/12
          - 192.0.0.0/24
          - 192.0.2.0/24
          - 192.88.99.0/24
          - 192.168.0.0/16
          - 198.18.0.0/15
          - 198.51.100.0/24
          - 203.0.113.0/24
          - 224.0.0.0/4
          - 240.0.0.0/4
          {{- range .Values.networkPolicy.internet.exceptIpv4 }}
          - {{ . }}
          {{- end }}
    - ipBlock:
        cidr: 2000::/3
        except:
          - 2001::/23
          - 2001:db8::/32
          - 2002::/16
          - 3fff::/20
          {{- range .Values.networkPolicy.internet.exceptIpv6 }}
          - {{ . }}
          {{- end }}
  ports:
    - protocol: TCP
      port: 443
{{- end -}}

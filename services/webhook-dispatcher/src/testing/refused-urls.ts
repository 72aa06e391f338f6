/** The words of a text. */
export const words = (text: string): readonly string[] => text.split(/\s+/);

/** URLs that the guard refuses before a lookup, by violation. */
export const REFUSED_URLS: Readonly<Record<string, readonly string[]>> = {
  'another scheme': [
    ...words(`http://hooks.example.com/ http://hooks.example.com:443/ ftp://hooks.example.com/
      wss://hooks.example.com/ javascript:alert(1) data:text/plain,hi file:///etc/passwd
      unix:/var/run/docker.sock blob:https://hooks.example.com/x
      view-source:https://hooks.example.com/ //hooks.example.com/ hooks.example.com`),
  ],
  'nothing there': ['', 'https://', 'https:///', 'https://?', 'https://.', 'https://:443/'],
  'slashes that parsers insert': [
    'https:hooks.example.com/',
    'https:/hooks.example.com/',
    'https:///hooks.example.com/',
    'https:\\\\hooks.example.com/',
    'https:/\\hooks.example.com/',
  ],
  'another port': [
    ...words(`https://hooks.example.com:0/ https://hooks.example.com:80/ https://hooks.example.com:8443/
      https://hooks.example.com:4430/ https://hooks.example.com:65536/ https://hooks.example.com:-1/
      https://hooks.example.com:443abc/ https://[2606:4700:4700::1111]:8443/ https://8.8.8.8:22/
      https://hooks.example.com:4433/ https://hooks.example.com:00/ https://hooks.example.com:+443/
      https://hooks.example.com:443:443/ https://hooks.example.com:443.0/
      https://hooks.example.com:0x1bb/`),
    'https://hooks.example.com:４４３/',
    'https://hooks.example.com：443/',
    'https://hooks.example.com:65979/',
    'https://hooks.example.com:4294967739/',
    'https://hooks.example.com:https/',
  ],
  credentials: [
    ...words(`https://user:pass@hooks.example.com/ https://user@hooks.example.com/
      https://:pass@hooks.example.com/ https://@hooks.example.com/ https://:@hooks.example.com/
      https://hooks.example.com%2f@127.0.0.1/ https://hooks.example.com:443@127.0.0.1/`),
    'https://hooks.example.com\\@127.0.0.1/',
    'https://hooks.example.com#@127.0.0.1/',
    'https://hooks.example.com&@127.0.0.1/',
    'https://hooks.example.com?@127.0.0.1/',
    'https://hooks.example.com:443?x@127.0.0.1',
    'https://hooks.example.com＠127.0.0.1/',
    'https://a@b@hooks.example.com/',
    'https://hooks.example.com:x@127.0.0.1:443/',
    'https://%40hooks.example.com/',
  ],
  'a fragment': [
    'https://hooks.example.com/#',
    'https://hooks.example.com/a#b',
    'https://hooks.example.com#a',
  ],
  'control characters and spaces': [
    'https://hooks.example.com\r\nHost: evil/',
    'https://hooks.exam\tple.com/',
    'https://hooks.example.com/a\nb',
    ' https://hooks.example.com/',
    'https://hooks.example.com/ ',
    'https://hooks.example.com/a b',
    'https://exa mple.com/',
    'https://hooks.example.com/\u0000',
    'https://hooks.example.com/\u007f',
    'https://hooks.example.com/\u00a0',
    'https://hooks.example.com/\u2028',
    '\ufeffhttps://hooks.example.com/',
    'https\n://hooks.example.com/',
    'https:/\t/hooks.example.com/',
    'https://hooks.example.com:4\n43/',
    'https://hooks.exam\u00adple.com/',
    'https://local\u00adhost/',
    'https://127.0.0.1\u200b/',
    'https://hooks.example.com\u200b/',
    'https://hooks.example.com/\u202e',
    'https://hooks.example.com/\ud800',
    'https://hooks.example.com\u3000/',
  ],
  'an IPv4 address in other than four decimal parts, even a public one': [
    ...words(`https://127.1/ https://127.0.1/ https://0x7f.0.0.1/ https://0x7F.0x0.0x0.0x1/
      https://0177.0.0.1/ https://017700000001/ https://2130706433/ https://0x7f000001/`),
    'https://①②⑦.⓪.⓪.①/',
    'https://１２７.０.０.１/',
    'https://127。0。0。1/',
    ...words(`https://0/ https://0x/ https://10.1/ https://192.168.1/ https://2852039166/
      https://0251.0376.0251.0376/ https://0xa9fea9fe/ https://4294967295/ https://127.1:443/
      https://127.1?x`),
    'https://127。1/',
    'https://1²7.0.0.1/',
    'https://134744072/',
    'https://0x8.8.8.8/',
    'https://010.8.8.8/',
    'https://8.8.2056/',
    'https://８.８.８.８/',
    'https://8。8.8.8/',
    'https://010.0.0.1/',
    'https://00000010.0.0.1/',
  ],
  'escapes in the host': [
    'https://hooks%2eexample.com/',
    'https://%31%32%37.0.0.1/',
    'https://127%2e0%2e0%2e1/',
  ],
  'names of a machine or a private network': [
    ...words(`https://localhost/ https://LOCALHOST/ https://localhost./ https://foo.localhost/
      https://foo.localhost./ https://ip6-localhost/ https://localhost.localdomain/
      https://metadata.google.internal/computeMetadata/v1/ https://metadata/ https://metadata.goog/
      https://instance-data/ https://kubernetes.default.svc/
      https://kubernetes.default.svc.cluster.local/ https://rabbitmq/ https://postgres:443/
      https://printer.local/ https://db.internal/ https://host.docker.internal/ https://nas.home.arpa/
      https://1.0.0.10.in-addr.arpa/ https://ipv4only.arpa/ https://localhost4.localdomain4/
      https://localhost6.localdomain6/ https://kubernetes.default/ https://metadata.google.internal./
      https://Metadata.Google.Internal:443/`),
    'https://foo.local。/',
    'https://ＬＯＣＡＬＨＯＳＴ/',
    'https://foo.ｌｏｃａｌｈｏｓｔ/',
    'https://kubernetes.default.ſvc/',
    ...words(`https://router.lan/ https://wiki.corp/ https://tv.home/ https://wiki.intranet/
      https://db.private/ https://x.metadata.goog/ https://com/ https://ip6-loopback/
      https://broadcasthost/`),
  ],
  'invalid names': [
    'https://.example.com/',
    'https://example..com/',
    'https://hooks.example.com../',
    'https://-a.example.com/',
    'https://a-.example.com/',
    `https://${'a'.repeat(64)}.example.com/`,
    `https://${`${'a'.repeat(60)}.`.repeat(5)}com/`,
    ...words(`https://exa*mple.com/ https://exa<mple.com/ https://xn--/ https://1.2.3.256/
      https://127.0.0.256/ https://[::1/ https://[127.0.0.1]/ https://[fe80::1%25eth0]/
      https://[::ffff:1.2.3]/ https://[fe80::1%eth0]/ https://[2606:4700:4700::1111%25eth0]/
      https://[8.8.8.8]/ https://[]/ https://[v1.fe80::a+en1]/
      https://[2606:4700:4700::1111].example.com/ https://[2606:4700:4700::1111/
      https://2606:4700:4700::1111/ https://[2606:4700:4700:::1111]/ https://[1:2:3:4:5:6:7:8:9]/
      https://1.2.3.4.5/ https://08.8.8.8/ https://example.123/ https://example.0x1/`),
    'https://hooks.example.com。。/',
    'https://../',
    'https://example.com-/',
    'https://xn--a/',
    'https://xn--.example.com/',
    `https://${'ü'.repeat(60)}.example.com/`,
    `https://${`${'a'.repeat(63)}.`.repeat(3)}${'a'.repeat(62)}/`,
    'https://hooks.example.com;a/',
    'https://hooks.example.com,elsewhere.example/',
    'https://hooks.example.com&x/',
    'https://hooks.example.com!/',
    "https://hooks'.example.com/",
    'https://hooks.example.com／path',
    'https://hooks.example.com？x',
    'https://hooks.example.com＃x/',
    'https://hooks.example.com％2f/',
    'https://℀.example/',
    'https://ho\u202eoks.example.com/',
  ],
};

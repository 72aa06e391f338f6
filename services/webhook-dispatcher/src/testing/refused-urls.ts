import { fc } from '@partner/test-kit/fast-check';

/** The words of a text. */
export const words = (text: string): readonly string[] => text.trim().split(/\s+/);

const host = fc.constantFrom('hooks.example.com', '8.8.8.8', '[2606:4700:4700::1111]');
const valid = fc
  .tuple(host, fc.constantFrom('', ':443'), fc.constantFrom('', '/', '/a?b=c', '?b'))
  .map((parts) => `https://${parts.join('')}`);

/** A text with another one at any place of it, or of what `part` finds in it. */
const inserted = (texts: fc.Arbitrary<string>, into: fc.Arbitrary<string>, part = /^.*$/) =>
  fc.tuple(into, texts, fc.nat()).map(([whole, text, choice]) => {
    const found = part.exec(whole);
    const place = (found?.index ?? 0) + (choice % ((found?.[0].length ?? 0) + 1));
    return whole.slice(0, place) + text + whole.slice(place);
  });
const AUTHORITY = /(?<=^https:\/\/)[^/?]+/;

const fullWidth = (text: string) =>
  text.replaceAll(/[0-9A-Za-z]/g, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0));
const written = (text: fc.Arbitrary<string>, ...ways: readonly ((text: string) => string)[]) =>
  fc.tuple(text, fc.constantFrom(...ways)).map(([each, way]) => way(each));

const octets = fc.array(fc.oneof(fc.constantFrom(0, 8, 10, 127, 169), fc.nat({ max: 255 })), {
  minLength: 4,
  maxLength: 4,
});
/** Other notations of an octet. */
const OCTET_NOTATIONS: readonly ((octet: number) => string)[] = [
  (octet) => `0${octet.toString(8)}`,
  (octet) => `0${octet}`,
  (octet) => `0x${octet.toString(16)}`,
  (octet) => fullWidth(String(octet)),
];
const oddAddress = fc
  .tuple(octets, fc.nat({ max: 3 }), fc.constantFrom(...OCTET_NOTATIONS))
  .chain(([parts, at, notation]) => {
    const [a = 0, b = 0, c = 0, d = 0] = parts;
    const whole = ((a * 256 + b) * 256 + c) * 256 + d;
    return fc.constantFrom(
      parts.map((octet, index) => (index === at ? notation(octet) : octet)).join('.'),
      parts.join('\u3002'),
      String(whole),
      `0x${whole.toString(16)}`,
      `0${whole.toString(8)}`,
      `${a}.${whole % 2 ** 24}`,
      `${a}.${b}.${whole % 2 ** 16}`,
    );
  });

const label = fc.stringMatching(/^[a-z][a-z0-9]{0,9}$/);
const privateName = fc
  .tuple(
    fc.array(label, { maxLength: 2 }),
    fc.constantFrom(
      ...words(`localhost localdomain localdomain4 localdomain6 local internal intranet private corp home lan arpa
        svc default metadata.goog`),
    ),
  )
  .map(([labels, suffix]) => [...labels, suffix].join('.'));
const invalidLabel = fc.oneof(
  fc.constantFrom('', '-a', 'a-', 'a'.repeat(64), 'xn--', 'xn--a', 'ü'.repeat(60)),
  inserted(fc.constantFrom(...'*<>^|!$&\'()+,;="{}~`'.split('')), label),
);

/** URLs that the guard refuses before a lookup, by violation. */
export const REFUSED_URLS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'another scheme, or slashes that parsers insert': fc
    .tuple(
      fc.constantFrom(
        ...words(
          'http:// ftp:// wss:// file:// javascript: data: unix: blob:https:// view-source:https:// // https:',
        ),
        ...words('https:/ https:/// https:\\\\ https:/\\'),
        '',
      ),
      valid,
    )
    .map(([start, url]) => start + url.slice('https://'.length)),
  'another port': fc
    .tuple(
      host,
      fc.oneof(
        fc.nat({ max: 2 ** 33 }).map((port) => String(port === 443 ? 80 : port)),
        fc.constantFrom(...words('0 00 -1 +443 443:443 443.0 0x1bb 443abc https 65979 ４４３')),
      ),
    )
    .map(([name, port]) => `https://${name}:${port}/`),
  credentials: inserted(
    fc.constantFrom('@', ':@', 'user@', ':pass@', 'a@b@', '%2f@', '&@', '＠'),
    valid,
    AUTHORITY,
  ),
  'a character that parsers read differently, or that shows nothing': inserted(
    fc.oneof(
      fc.nat({ max: 0x20 }).map((code) => String.fromCharCode(code)),
      fc.constantFrom(...'#\\\u007f\u0085\u00a0\u00ad\u200b\u2028\u202e\u3000\ufeff'.split(''), '\ud800'),
    ),
    valid,
  ),
  'an escape in the host': inserted(
    fc.constantFrom('%2e', '%40', '%00', '%c3%bc', '%', '％2f'),
    valid,
    AUTHORITY,
  ),
  'an IPv4 address in other than four decimal parts, even a public one': oddAddress.map(
    (address) => `https://${address}/`,
  ),
  'a name of a machine or a private network': written(
    fc.oneof(label, privateName),
    (name) => `https://${name}/`,
    (name) => `https://${name.toUpperCase()}:443/`,
    (name) => `https://${name}.?x`,
    (name) => `https://${fullWidth(name)}\u3002/`,
  ),
  'an invalid name': written(
    invalidLabel,
    (part) => `https://${part}.example.com/`,
    (part) => `https://hooks.${part}.com/`,
  ),
};

/** What parsers have been misled by, and names beyond a limit. */
export const ODD_URLS = [
  ...words(`https:// https:/// https://? https://. https://../ https://:443/ https://hooks.example.com?@127.0.0.1/
    https://hooks.example.com:443?x@127.0.0.1 https://①②⑦.⓪.⓪.①/ https://1²7.0.0.1/ https://00000010.0.0.1/ https://0x/
    https://4294967296/ https://kubernetes.default.ſvc/ https://hooks.example.com../ https://example.com-/ https://[::1/
    https://[127.0.0.1]/ https://[fe80::1%25eth0]/ https://[fe80::1%eth0]/ https://[::ffff:1.2.3]/ https://[]/
    https://[v1.fe80::a+en1]/ https://[2606:4700:4700::1111].example.com/ https://2606:4700:4700::1111/
    https://[1:2:3:4:5:6:7:8:9]/ https://1.2.3.256/ https://1.2.3.4.5/ https://08.8.8.8/ https://example.123/
    https://example.0x1/ https://hooks.example.com。。/ https://hooks.example.com／path https://hooks.example.com？x
    https://hooks.example.com＃x/ https://hooks.example.com：443/ https://℀.example/`),
  '',
  `https://${`${'a'.repeat(63)}.`.repeat(3)}${'a'.repeat(62)}/`,
];

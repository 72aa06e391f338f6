import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type Answer, decode, encode, RECURSION_AVAILABLE, type RecordType } from 'dns-packet';

/** Reply to one query. `silent`: none; `garbage`: bytes that are not a DNS response. */
export type DnsReply =
  | { readonly kind: 'records'; readonly records: readonly Answer[] }
  | { readonly kind: 'no_such_name' | 'server_failure' | 'refused' | 'silent' | 'garbage' };

/** A received query. */
export interface DnsQuestion {
  readonly name: string;
  readonly type: RecordType;
}

const RCODES = { records: 0, no_such_name: 3, server_failure: 2, refused: 5 } as const;

/** Starts a DNS server on loopback, over UDP, whose responses a test chooses. */
export async function startDnsServer(reply: (question: DnsQuestion) => DnsReply) {
  const questions: DnsQuestion[] = [];

  function respond(message: Buffer): Buffer | undefined {
    const packet = decode(message);
    const [question] = packet.questions ?? [];
    if (question === undefined) return undefined;
    const received = { name: question.name, type: question.type };
    questions.push(received);
    const said = reply(received);
    if (said.kind === 'silent') return undefined;
    if (said.kind === 'garbage') return Buffer.from('garbage');
    return encode({
      type: 'response',
      id: packet.id ?? 0,
      flags: RECURSION_AVAILABLE | RCODES[said.kind],
      questions: [question],
      answers: said.kind === 'records' ? [...said.records] : [],
    });
  }

  const udp = createSocket('udp4');
  udp.on('message', (datagram, sender) => {
    const said = respond(datagram);
    if (said !== undefined) udp.send(said, sender.port, sender.address);
  });
  udp.bind(0, '127.0.0.1');
  await once(udp, 'listening');

  return {
    /** `address:port`. */
    server: `127.0.0.1:${udp.address().port}`,
    questions,
    async close() {
      udp.close();
      await once(udp, 'close');
    },
  };
}

/** Returns the A or AAAA records of a name from a list of addresses, without those of the other type. */
export function addressRecords(
  question: Pick<DnsQuestion, 'name' | 'type'>,
  addresses: readonly string[],
): DnsReply {
  const records = addresses.flatMap((data): Answer[] => {
    const type = data.includes(':') ? 'AAAA' : 'A';
    return type === question.type ? [{ type, name: question.name, ttl: 60, data }] : [];
  });
  return { kind: 'records', records };
}

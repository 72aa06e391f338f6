import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type Answer, decode, encode, RECURSION_AVAILABLE, type RecordType } from 'dns-packet';

/** What the server says to one question. `silent`: nothing at all. */
export type DnsReply =
  | { readonly kind: 'records'; readonly records: readonly Answer[] }
  | { readonly kind: 'no_such_name' }
  | { readonly kind: 'server_failure' }
  | { readonly kind: 'silent' };

/** A question as it came. */
export interface DnsQuestion {
  readonly name: string;
  readonly type: RecordType;
}

/** A DNS server on loopback whose answers a test decides. */
export interface TestDnsServer {
  /** `address:port`. */
  readonly server: string;
  readonly questions: readonly DnsQuestion[];
  close(): Promise<void>;
}

const RCODES = { records: 0, no_such_name: 3, server_failure: 2 } as const;

/** Starts a server on a free UDP port. */
export async function startDnsServer(reply: (question: DnsQuestion) => DnsReply): Promise<TestDnsServer> {
  const socket = createSocket('udp4');
  const questions: DnsQuestion[] = [];
  socket.on('message', (datagram, sender) => {
    const packet = decode(datagram);
    const [question] = packet.questions ?? [];
    if (question === undefined) return;
    questions.push({ name: question.name, type: question.type });
    const said = reply({ name: question.name, type: question.type });
    if (said.kind === 'silent') return;
    socket.send(
      encode({
        type: 'response',
        id: packet.id ?? 0,
        flags: RECURSION_AVAILABLE | RCODES[said.kind],
        questions: [question],
        answers: said.kind === 'records' ? [...said.records] : [],
      }),
      sender.port,
      sender.address,
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    server: `127.0.0.1:${socket.address().port}`,
    questions,
    async close() {
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  };
}

/** A and AAAA records of a name, from one list of addresses; what is not of the asked type is left out. */
export function addressRecords(question: DnsQuestion, addresses: readonly string[]): DnsReply {
  const records = addresses.flatMap((data): Answer[] => {
    const type = data.includes(':') ? 'AAAA' : 'A';
    return type === question.type ? [{ type, name: question.name, ttl: 60, data }] : [];
  });
  return { kind: 'records', records };
}

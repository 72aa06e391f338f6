import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { freePort } from '@partner/test-kit/backing-services/local-process';
import {
  type Answer,
  decode,
  encode,
  RECURSION_AVAILABLE,
  type RecordType,
  streamEncode,
  TRUNCATED_RESPONSE,
} from 'dns-packet';

/** Reply to one query. `silent`: none; `garbage`: bytes that are not a DNS response. */
export type DnsReply =
  | { readonly kind: 'records'; readonly records: readonly Answer[] }
  | { readonly kind: 'no_such_name' }
  | { readonly kind: 'server_failure' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'silent' }
  | { readonly kind: 'garbage' };

/** A received query. */
export interface DnsQuestion {
  readonly name: string;
  readonly type: RecordType;
  readonly transport: 'udp' | 'tcp';
}

/**
 * DNS server on loopback whose responses a test chooses. A response that is too long for a datagram is truncated over
 * UDP and whole over TCP.
 */
export interface TestDnsServer {
  /** `address:port`. */
  readonly server: string;
  readonly questions: readonly DnsQuestion[];
  close(): Promise<void>;
}

const RCODES = { records: 0, no_such_name: 3, server_failure: 2, refused: 5 } as const;
const DATAGRAM_BYTES = 512;
const LENGTH_BYTES = 2;

/** Starts a server on a free port, over UDP and TCP. */
export async function startDnsServer(reply: (question: DnsQuestion) => DnsReply): Promise<TestDnsServer> {
  const questions: DnsQuestion[] = [];

  function respond(message: Buffer, transport: DnsQuestion['transport']): Buffer | undefined {
    const packet = decode(message);
    const [question] = packet.questions ?? [];
    if (question === undefined) return undefined;
    const received = { name: question.name, type: question.type, transport };
    questions.push(received);
    const said = reply(received);
    if (said.kind === 'silent') return undefined;
    if (said.kind === 'garbage') return Buffer.from('garbage');
    const response = {
      type: 'response' as const,
      id: packet.id ?? 0,
      flags: RECURSION_AVAILABLE | RCODES[said.kind],
      questions: [question],
      answers: said.kind === 'records' ? [...said.records] : [],
    };
    if (transport === 'tcp') return streamEncode(response);
    const datagram = encode(response);
    return datagram.length <= DATAGRAM_BYTES
      ? datagram
      : encode({ ...response, flags: response.flags | TRUNCATED_RESPONSE, answers: [] });
  }

  const sockets = new Set<{ destroy(): void }>();
  const tcp = createServer((connection) => {
    sockets.add(connection);
    connection.on('error', () => undefined);
    let received = Buffer.alloc(0);
    connection.on('data', (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      while (received.length >= LENGTH_BYTES) {
        const end = LENGTH_BYTES + received.readUInt16BE(0);
        if (received.length < end) return;
        const said = respond(received.subarray(LENGTH_BYTES, end), 'tcp');
        received = received.subarray(end);
        if (said !== undefined) connection.write(said);
      }
    });
  });
  const udp = createSocket('udp4');
  udp.on('message', (datagram, sender) => {
    const said = respond(datagram, 'udp');
    if (said !== undefined) udp.send(said, sender.port, sender.address);
  });
  // UDP and TCP share a port, so it must be one that no outgoing connection can hold.
  const port = await freePort();
  udp.bind(port, '127.0.0.1');
  tcp.listen(port, '127.0.0.1');
  await Promise.all([once(udp, 'listening'), once(tcp, 'listening')]);

  return {
    server: `127.0.0.1:${port}`,
    questions,
    async close() {
      const closed = [once(udp, 'close'), once(tcp, 'close')];
      udp.close();
      for (const socket of sockets) socket.destroy();
      tcp.close();
      await Promise.all(closed);
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

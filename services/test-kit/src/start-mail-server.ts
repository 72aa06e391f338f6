import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

interface ReceivedMail {
  readonly to: readonly string[];
  /** Headers and decoded body. */
  readonly message: string;
}

export type MailServer = Awaited<ReturnType<typeof startMailServer>>;

/**
 * Starts a mail server. With the port of an earlier one, it simulates a restart. `take` keeps a message instead of
 * `received`, before its sender gets the response.
 */
export async function startMailServer(
  port = 0,
  take?: (message: Buffer, to: readonly string[]) => Promise<void>,
) {
  const received: ReceivedMail[] = [];
  let refused: { address: string | undefined; command: string; responseCode: number } | undefined;
  let refusedSender: string | undefined;
  const refusal = (command: string, addresses: readonly string[]) => {
    if (command !== refused?.command || !addresses.some((each) => each === refused?.address))
      return undefined;
    return Object.assign(new Error('not for this mailbox'), { responseCode: refused.responseCode });
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onMailFrom({ address }, _session, done) {
      done(
        address === refusedSender
          ? Object.assign(new Error('no such sender'), { responseCode: 550 })
          : undefined,
      );
    },
    onRcptTo({ address }, _session, done) {
      done(refusal('RCPT TO', [address]));
    },
    onData(stream, session, done) {
      const receive = async () => {
        const message = await buffer(stream);
        const to = session.envelope.rcptTo.map(({ address }) => address);
        const error = refusal('DATA', to);
        if (error !== undefined) throw error;
        if (take !== undefined) await take(message, to);
        else
          received.push({ to, message: message.toString().replaceAll(/=\r\n/g, '').replaceAll('=3D', '=') });
      };
      receive().then(() => done(), done);
    },
  });
  // A client that breaks off.
  server.on('error', () => undefined);
  const listening = server.listen(port, '127.0.0.1');
  await once(listening, 'listening');
  const { port: own } = address(listening.address());
  const url = `smtp://127.0.0.1:${own}`;
  return {
    url,
    /** Settings of a service that sends with it. */
    settings: { SMTP_URL: url, MAIL_FROM: 'partner-api@service.example' },
    /** Accepted emails, newest last. */
    received,
    /** Refuses mail to an address from now on, at a command and with a code; undefined: accepts all. */
    refuse(refusedAddress: string | undefined, command: 'RCPT TO' | 'DATA' = 'RCPT TO', responseCode = 550) {
      refused = { address: refusedAddress, command, responseCode };
    },
    /** Refuses mail from a sender from now on; undefined: accepts all. */
    refuseSender(sender: string | undefined) {
      refusedSender = sender;
    },
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

function address(of: AddressInfo | string | null): AddressInfo {
  if (of === null || typeof of === 'string') throw new Error('the mail server has no port');
  return of;
}

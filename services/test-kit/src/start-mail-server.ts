import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

/** An email that the mail server accepted. */
interface ReceivedMail {
  readonly to: readonly string[];
  /** Headers and decoded body. */
  readonly message: string;
}

/** A mail server on a loopback port. */
export interface MailServer {
  /** Value for `SMTP_URL`. */
  readonly url: string;
  /** Settings of a service that sends with it. */
  readonly settings: Readonly<Record<string, string>>;
  /** Accepted emails, newest last. */
  readonly received: readonly ReceivedMail[];
  /** Refuses mail to an address from now on, at a command and with a code; undefined: accepts all. */
  refuse(address: string | undefined, command?: 'RCPT TO' | 'DATA', responseCode?: number): void;
  /** Refuses mail from a sender from now on; undefined: accepts all. */
  refuseSender(address: string | undefined): void;
  stop(): Promise<void>;
}

/** Starts a mail server. With the port of an earlier one, it simulates a restart. */
export async function startMailServer(port = 0): Promise<MailServer> {
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
      void text(stream).then((message) => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        const error = refusal('DATA', to);
        if (error !== undefined) {
          done(error);
          return;
        }
        received.push({
          to,
          message: message.replaceAll(/=\r\n/g, '').replaceAll('=3D', '='),
        });
        done();
      }, done);
    },
  });
  const listening = server.listen(port, '127.0.0.1');
  await once(listening, 'listening');
  const { port: own } = address(listening.address());
  const url = `smtp://127.0.0.1:${own}`;
  return {
    url,
    settings: { SMTP_URL: url, MAIL_FROM: 'partner-api@service.example' },
    received,
    refuse(refusedAddress, command = 'RCPT TO', responseCode = 550) {
      refused = { address: refusedAddress, command, responseCode };
    },
    refuseSender(sender) {
      refusedSender = sender;
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function address(of: AddressInfo | string | null): AddressInfo {
  if (of === null || typeof of === 'string') throw new Error('the mail server has no port');
  return of;
}

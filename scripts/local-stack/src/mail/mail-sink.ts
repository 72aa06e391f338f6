import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { newId } from '@partner/kernel/process/ids';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';

/** An email that the sink has written. */
export interface WrittenMail {
  readonly to: string;
  readonly subject: string;
  /** The URLs of its text, in order. */
  readonly links: readonly string[];
  /** The file with the whole message, which mail programs open. */
  readonly file: string;
}

/**
 * Starts a mail server on loopback that delivers nothing: it writes each message to a file of the directory, which only its owner
 * can read, since links in messages are secrets. Files sort by the time of arrival.
 */
export async function startMailSink(options: {
  readonly port: number;
  readonly directory: string;
  /** Called for each message, once its file is written and before the sender gets the response. */
  readonly onMail: (mail: WrittenMail) => void;
}): Promise<{ close(): Promise<void> }> {
  const { port, directory, onMail } = options;
  mkdirSync(directory, { recursive: true, mode: 0o700 });

  async function take(message: Buffer, recipients: readonly string[]): Promise<void> {
    const { subject = '', text = '' } = await PostalMime.parse(message);
    const file = path.join(directory, `${newId('evt').slice('evt_'.length)}.eml`);
    writeFileSync(file, message, { mode: 0o600 });
    onMail({ to: recipients.join(', '), subject, links: text.match(/https?:\/\/[^\s<>"]+/g) ?? [], file });
  }

  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      buffer(stream)
        .then((message) =>
          take(
            message,
            session.envelope.rcptTo.map(({ address }) => address),
          ),
        )
        .then(() => done(), done);
    },
  });
  // A client that breaks off.
  server.on('error', () => undefined);
  const listening = server.listen(port, '127.0.0.1');
  await once(listening, 'listening');
  return { close: () => new Promise((resolve) => server.close(() => resolve())) };
}

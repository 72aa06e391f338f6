import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { newId } from '@partner/kernel/process/ids';
import { type MailServer, startMailServer } from '@partner/test-kit/start-mail-server';
import PostalMime from 'postal-mime';

export interface WrittenMail {
  readonly to: string;
  readonly subject: string;
  readonly links: readonly string[];
  readonly file: string;
}

/**
 * Starts a mail server on loopback that delivers nothing: it writes each message to a file of the directory, which only its owner
 * can read, since links in messages are secrets. Files sort by the time of arrival.
 */
export async function startMailSink(options: {
  readonly port: number;
  readonly directory: string;
  readonly onMail: (mail: WrittenMail) => void;
}): Promise<MailServer> {
  const { port, directory, onMail } = options;
  mkdirSync(directory, { recursive: true, mode: 0o700 });

  return startMailServer(port, async (message, recipients) => {
    const { subject = '', text = '' } = await PostalMime.parse(message);
    const file = path.join(directory, `${newId('evt').slice('evt_'.length)}.eml`);
    writeFileSync(file, message, { mode: 0o600 });
    onMail({ to: recipients.join(', '), subject, links: text.match(/https?:\/\/[^\s<>"]+/g) ?? [], file });
  });
}

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { createMailer } from '@partner/kernel/mail/mail';
import { freePort } from '@partner/test-kit/backing-services/local-process';
import { startMailSink, type WrittenMail } from './mail-sink.js';

const LINK = `http://127.0.0.1:8080/console/set-password#${'Az0-_'.repeat(30)}=é`;

test('the mail sink writes each message to a private file and reports its links, however they are encoded', async () => {
  const directory = path.join(mkdtempSync(path.join(tmpdir(), 'partner-mail-')), 'mail');
  const port = await freePort();
  const written: WrittenMail[] = [];
  const sink = await startMailSink({ port, directory, onMail: (mail) => written.push(mail) });
  const mailer = createMailer({ SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'api@service.example' });
  for (const to of ['olive@peak.example', 'otto@peak.example'])
    await mailer?.send({
      to,
      subject: 'Zugang für Olive',
      text: `Open this link:\n\n${LINK}\n\nor <${LINK}>.`,
    });
  await sink.stop();

  expect(written.map(({ to }) => to)).toEqual(['olive@peak.example', 'otto@peak.example']);
  expect(written[0]).toMatchObject({ subject: 'Zugang für Olive', links: [LINK, LINK] });
  expect(readdirSync(directory)).toEqual(written.map(({ file }) => path.basename(file)));
  for (const { to, file } of written) {
    expect(readFileSync(file, 'utf8')).toContain(`To: ${to}`);
    expect(statSync(file).mode & 0o077).toBe(0);
  }
  rmSync(path.dirname(directory), { recursive: true });
});

import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { technicalContactIn } from '@partner/proto-contracts/resources/technical-contact/technical-contact';
import { createMailer } from './mail.js';
import { type MailServer, startMailServer } from '@partner/test-kit/start-mail-server';

const MAIL_FROM = 'partner-api@service.example';
const mail = (to: string) => ({ to, subject: 'Changes', text: 'What changed.' });

let server: MailServer;
beforeEach(async () => {
  server = await startMailServer();
});
afterEach(() => server.stop());

function mailerOf(url: string) {
  const mailer = createMailer({ SMTP_URL: url, MAIL_FROM });
  if (mailer === undefined) throw new Error('there is a mail server');
  return mailer;
}

describe('an email that the mail server does not accept', () => {
  const to = 'refused@mail.example';

  test.each([
    ['RCPT TO', 550, true],
    ['RCPT TO', 450, false],
    ['DATA', 550, true],
    ['DATA', 552, true],
    ['DATA', 451, false],
  ] as const)(
    'with a response to %s of %i is refused for its recipient only: %s [ANNOUNCE-11]',
    async (command, code, isOfRecipient) => {
      server.refuse(to, command, code);
      await expect(mailerOf(server.url).send(mail(to))).rejects.toMatchObject({
        isOfRecipient,
        mayArrive: false,
      });
      await mailerOf(server.url).send(mail('other@mail.example'));
      expect(server.received).toMatchObject([{ to: ['other@mail.example'] }]);
    },
  );

  test('because of its sender is refused for every recipient [ANNOUNCE-11]', async () => {
    server.refuseSender(MAIL_FROM);
    await expect(mailerOf(server.url).send(mail(to))).rejects.toMatchObject({
      isOfRecipient: false,
      mayArrive: false,
      message: expect.stringContaining('SMTP 550'),
    });
  });

  test('because it is down may be sent again', async () => {
    await expect(mailerOf('smtp://127.0.0.1:1').send(mail(to))).rejects.toMatchObject({
      isOfRecipient: false,
    });
  });

  test('in time, while it keeps responding, may still arrive [ANNOUNCE-6]', async () => {
    const limit = new AbortController();
    const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal);
    const dripping = createServer((socket) => {
      // After its greeting, which has a separate limit.
      socket.write('220 mail.example\r\n');
      socket.once('data', () => {
        socket.write('250-wait\r\n');
        limit.abort();
      });
      socket.on('error', () => undefined);
    }).listen(0, '127.0.0.1');
    await once(dripping, 'listening');
    const address = dripping.address();
    if (address === null || typeof address === 'string') throw new Error('the server has a port');
    const sent = mailerOf(`smtp://127.0.0.1:${address.port}`).send(mail(to));
    await expect(sent).rejects.toMatchObject({ name: 'MailError', isOfRecipient: false, mayArrive: true });
    expect(timeout).toHaveBeenCalledWith(8_000);
    timeout.mockRestore();
    dripping.close();
  });
});

test.each(['ada@mail.example', "!#$%&'*+-/=?^_`{|}~@mail.example", 'Ada.Quill+api@mail.example'])(
  'the mail server receives the exact stored address of a technical contact: %s',
  async (to) => {
    expect(technicalContactIn.parse({ email: to })).toEqual({ email: to });
    await mailerOf(server.url).send(mail(to));
    expect(server.received).toMatchObject([{ to: [to] }]);
  },
);

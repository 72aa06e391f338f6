import { type Mail, MailError, type Mailer } from '@partner/kernel/process/mail';
import { OperatorError } from './exit-codes.js';

/** Sends an email. Fails with a clear message if the mail server does not accept it. */
export async function sendMail(mailer: Mailer, mail: Mail): Promise<void> {
  try {
    await mailer.send(mail);
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    const arrival = error.mayArrive ? '; if the email still arrives, its link does not work' : '';
    throw new OperatorError('unavailable', `${error.message}${arrival}`);
  }
}

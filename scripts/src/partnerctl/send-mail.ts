import type { Mail, Mailer } from '@partner/runtime/mail';
import { OperatorError } from './exit-codes.js';

/** Sends an email. Fails plainly when the mail server does not take it. */
export async function sendMail(mailer: Mailer, mail: Mail): Promise<void> {
  try {
    await mailer.send(mail);
  } catch (error) {
    throw new OperatorError('unavailable', error instanceof Error ? error.message : String(error));
  }
}

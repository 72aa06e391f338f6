/** Returns the receiver's settings for two secrets, by version. The secrets themselves are only in the receiver. */
export function receiverSettings(current: number, pending: number): string {
  return [
    '# One line for each version of the secret',
    `WEBHOOK_SECRET_${current}=<the secret that your server has now>`,
    `WEBHOOK_SECRET_${pending}=<the new secret from step 1>`,
  ].join('\n');
}

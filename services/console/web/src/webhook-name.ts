/** Returns the display name of a subscription: its description, else its URL without `https://`. */
export function webhookName(webhook: { readonly url: string; readonly description: string }): string {
  return webhook.description === ''
    ? webhook.url.replace(/^https:\/\//, '').replace(/\/$/, '')
    : webhook.description;
}

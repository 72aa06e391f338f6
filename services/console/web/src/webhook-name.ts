/** What to call a subscription: what its owner calls it, else its address without `https://`. */
export function webhookName(webhook: { readonly url: string; readonly description: string }): string {
  return webhook.description === ''
    ? webhook.url.replace(/^https:\/\//, '').replace(/\/$/, '')
    : webhook.description;
}

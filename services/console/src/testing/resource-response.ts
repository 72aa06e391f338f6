/** Returns the RPC response of a public resource, as job-state renders it. */
export function resourceResponse(resource: object): { readonly resourceJson: string } {
  return { resourceJson: JSON.stringify(resource) };
}

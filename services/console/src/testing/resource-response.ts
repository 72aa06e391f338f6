/** Returns the RPC response of a public resource, as job-state renders it. */
export function resourceResponse(resource: object): { readonly resourceJson: string } {
  return { resourceJson: JSON.stringify(resource) };
}

/** Returns the cursor after a page of this size; null on the last page. */
export function nextCursorOf(matching: readonly { readonly id: string }[], limit: number): string | null {
  return matching.length > limit ? (matching[limit - 1]?.id ?? null) : null;
}

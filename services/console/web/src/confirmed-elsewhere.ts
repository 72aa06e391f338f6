const CHANNEL = 'partner-session-confirmed';

/** Announces to the other pages of this browser that the session was confirmed. */
export function announceConfirmed(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(null);
  channel.close();
}

/** Calls `listen` when another page has confirmed the session. Returns a function that stops it. */
export function onConfirmed(listen: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener('message', listen);
  return () => channel.close();
}

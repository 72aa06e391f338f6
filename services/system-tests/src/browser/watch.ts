import type { Page } from 'playwright-core';

/** Errors of a page that its screen does not show. */
export interface PageWatch {
  /**
   * Lets a fault pass that a test brings about. Faults are lines: `<status> <method> <path and query>` of a response,
   * `request: <method> <path> <why>` of a request without one, `console: <text>` and `page: <error>`.
   */
  allow(fault: RegExp): void;
  /** Throws with all faults since the last call that are not allowed. */
  expectNoFaults(): void;
}

/**
 * Collects what goes wrong in a page: errors in the console (among them everything that the page's policy refuses), thrown errors,
 * requests that fail and responses of 400 and above. Begin before the first page is opened.
 */
export function watch(page: Page): PageWatch {
  const faults: string[] = [];
  const allowed: RegExp[] = [];

  page.on('console', (message) => {
    const isFault = message.type() === 'error' || message.type() === 'warning';
    // The browser says less of responses than we do below.
    if (!isFault || message.text().startsWith('Failed to load resource:')) return;
    faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`page: ${error.message}`));
  page.on('requestfailed', (request) => {
    const why = request.failure()?.errorText ?? '';
    // What the page itself calls off: a stream of changes when one leaves, a response that is no longer needed.
    if (why !== 'net::ERR_ABORTED') {
      faults.push(`request: ${request.method()} ${pathOf(request.url())} ${why}`);
    }
  });
  page.on('response', (response) => {
    if (response.status() < 400) return;
    faults.push(`${response.status()} ${response.request().method()} ${pathOf(response.url())}`);
  });

  return {
    allow: (fault) => allowed.push(fault),
    expectNoFaults() {
      const found = faults.splice(0).filter((fault) => !allowed.some((pattern) => pattern.test(fault)));
      if (found.length > 0) throw new Error(`the page had faults:\n${found.join('\n')}`);
    },
  };
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
}

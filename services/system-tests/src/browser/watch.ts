import type { Page } from 'playwright-core';

/** Errors of a page that its screen does not show. */
export interface PageWatch {
  /**
   * Lets a violation pass that a test brings about. Violations are lines: `<status> <method> <path and query>` of a response,
   * `request: <method> <path> <why>` of a request without one, `console: <text>` and `page: <error>`.
   */
  allow(violation: RegExp): void;
  /** Throws with all violations since the last call that are not allowed. */
  expectNoViolations(): void;
}

/**
 * Collects what goes wrong in a page: errors in the console (among them everything that the page's policy refuses), thrown errors,
 * requests that fail and responses of 400 and above. Begin before the first page is opened.
 */
export function watch(page: Page): PageWatch {
  const violations: string[] = [];
  const allowed: RegExp[] = [];

  page.on('console', (message) => {
    const isViolation = message.type() === 'error' || message.type() === 'warning';
    // The browser reports less about responses than the listener below. On a slow machine it warns of a preload that waits for its use.
    if (!isViolation || /^Failed to load resource:|preloaded using link preload/.test(message.text())) return;
    violations.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => violations.push(`page: ${error.message}`));
  page.on('requestfailed', (request) => {
    const why = request.failure()?.errorText ?? '';
    // What the page itself cancels: the stream of changes when a person leaves, a response that it no longer needs.
    if (why !== 'net::ERR_ABORTED') {
      violations.push(`request: ${request.method()} ${pathOf(request.url())} ${why}`);
    }
  });
  page.on('response', (response) => {
    if (response.status() < 400) return;
    violations.push(`${response.status()} ${response.request().method()} ${pathOf(response.url())}`);
  });

  return {
    allow: (violation) => allowed.push(violation),
    expectNoViolations() {
      const found = violations
        .splice(0)
        .filter((violation) => !allowed.some((pattern) => pattern.test(violation)));
      if (found.length > 0) throw new Error(`the page had errors:\n${found.join('\n')}`);
    },
  };
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
}

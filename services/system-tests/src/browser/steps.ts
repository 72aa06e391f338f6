import type { Locator, Page } from 'playwright-core';

/** The heading that names the page. */
export const heading = (page: Page, name: string | RegExp): Locator =>
  page.getByRole('heading', { level: 1, name, exact: true });

export const button = (page: Page | Locator, name: string | RegExp): Locator =>
  page.getByRole('button', { name });

export const dialog = (page: Page, name: string): Locator => page.getByRole('dialog', { name });

export const region = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });

/** Opens a page of the account, or signs out. */
export async function chooseInAccountMenu(page: Page, item: string): Promise<void> {
  await button(page, 'account menu').click();
  await page.getByRole('menuitem', { name: item }).click();
}

/** Waits until the text is on the page. */
export const expectText = (page: Page | Locator, text: string | RegExp): Promise<void> =>
  page.getByText(text).first().waitFor();

/** Closes the toast of a success. */
export async function dismissToast(page: Page): Promise<void> {
  const toast = page.getByRole('group', { name: 'Done' });
  await button(toast, 'Dismiss').click();
  await toast.waitFor({ state: 'detached' });
}

/** Responds to requests of a method and path with 503, as if job-state were away. Ends when the result is called. */
export async function failRequests(
  page: Page,
  path: RegExp,
  { method = 'GET', requestId }: { readonly method?: string; readonly requestId: string },
): Promise<() => Promise<void>> {
  const json = { error: 'the service does not respond in time; retry', code: 'unavailable', requestId };
  await page.route(path, (route) =>
    route.request().method() === method ? route.fulfill({ status: 503, json }) : route.continue(),
  );
  return () => page.unroute(path);
}

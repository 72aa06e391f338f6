import type { Page } from 'playwright-core';

/** Signs an owner in with the form, and waits for the page that follows: the overview, or the one at `path`. */
export async function signIn(
  page: Page,
  owner: { readonly email: string; readonly password: string },
  path = '/console',
): Promise<void> {
  await page.goto(path);
  await page.getByLabel('Email address').fill(owner.email);
  await page.getByLabel('Password', { exact: true }).fill(owner.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation').first().waitFor();
  await page.getByRole('heading', { level: 1 }).waitFor();
}

/** The page at the root of the base address of the local stack. */
export const LANDING_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Partner integration service</title>
<style>body { font: 1.1rem/1.6 system-ui; max-width: 40rem; margin: 3rem auto; padding: 0 1rem }</style>
<h1>Partner integration service</h1>
<p>The local stack is running.</p>
<ul>
<li><a href="/console">Console</a>: webhooks, deliveries and API keys of a company. <code>scripts/up --status</code> prints the logins.</li>
<li><a href="/docs">API reference</a>: every operation, with examples.</li>
<li>Demo: <code>scripts/up --demo</code> plays the main job, from a lead to a verified webhook.</li>
</ul>
</html>
`;

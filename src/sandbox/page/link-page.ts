import { html } from "hono/html";
import type { Resource } from "../../world/resources.ts";

type Page = ReturnType<typeof html>;

/** The provider's page, where the cardholder sees the accounts to share and gives consent. */
export function linkPage(bankLink: Resource<"bank-links"> | undefined): Page {
  if (!bankLink) return frame("No such bank link", html`<p>This bank link does not exist.</p>`);
  const { provider, accounts, state } = bankLink.internal;
  const list = accounts.map(
    ({ name, mask, type, currency }) => html`
      <li class="account">
        <strong>${name}</strong>
        <span class="meta">${type}, ${currency}, ends in ${mask}</span>
      </li>`,
  );
  const title = "Share your accounts";
  const what = html`
    <p>${provider} will share these accounts and their transactions:</p>
    <ul class="accounts">${list}</ul>`;
  if (state !== "started")
    return frame(title, html`${what}<p>This consent is already complete.</p>`);
  return frame(
    title,
    html`${what}
    <div class="row" data-bank-link="${bankLink.id}">
      <button type="button" class="primary" data-by="notification">Connect</button>
      <button type="button" data-by="polling">Connect without notification</button>
      <button type="button" data-cancel>Cancel</button>
    </div>
    <p role="status"></p>
    <p class="meta">Without a notification, the service learns of it at its next poll.</p>`,
  );
}

function frame(title: string, content: Page): Page {
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${title} · Sandbox bank</title>
    <link rel="icon" href="../assets/icon.svg" />
    <link rel="stylesheet" href="../assets/page.css" />
    <script type="module" src="../assets/link.js"></script>
  </head>
  <body class="link-page">
    <main tabindex="-1">
      <p class="meta">Sandbox bank, in place of the provider's page</p>
      <h1>${title}</h1>
      ${content}
    </main>
  </body>
</html>`;
}

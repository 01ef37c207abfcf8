import { createApiReference } from "./scalar/standalone.esm.js";

const site = new URL("..", import.meta.url);

/** The sandbox behind this site, with a token; undefined if there is none. */
async function findSandbox() {
  try {
    const status = await (await fetch(new URL("_sandbox/status", site.origin))).json();
    const { accountId, clientId, clientSecret } = status.accounts[0];
    const response = await fetch(
      new URL(`auth/realms/${accountId}/protocol/openid-connect/token`, site.origin),
      {
        method: "POST",
        body: new URLSearchParams({
          grant_type: "client_credentials",
          client_id: clientId,
          client_secret: clientSecret,
        }),
      },
    );
    return { accountId, token: (await response.json()).access_token };
  } catch {
    return undefined;
  }
}

const sandbox = await findSandbox();
document.querySelector("#sandbox").textContent = sandbox
  ? "“Test Request” of an operation calls the sandbox behind this page. Its token is valid for five minutes: reload the page for another."
  : "To call a sandbox from this page, run “npm run docs -- --serve”.";

const text = await (await fetch(new URL("openapi.json", site))).text();
createApiReference("#document", {
  content: text,
  ...(sandbox
    ? {
        servers: [{ url: site.origin, description: "The sandbox behind this page" }],
        authentication: {
          preferredSecurityScheme: "AccessTokenHeader",
          securitySchemes: { AccessTokenHeader: { token: sandbox.token } },
        },
      }
    : {}),
  // Nothing leaves this origin.
  withDefaultFonts: false,
  telemetry: false,
  documentDownloadType: "none",
  hideClientButton: true,
  showDeveloperTools: "never",
  agent: { disabled: true },
  mcp: { disabled: true },
});

// Scalar renders parts while the reader scrolls. The keyboard must reach what scrolls (WCAG 2.1.1).
new MutationObserver(() => {
  for (const part of document.querySelectorAll(".custom-scroll, .endpoints")) part.tabIndex = 0;
}).observe(document.body, { childList: true, subtree: true });

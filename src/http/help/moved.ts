// The former addresses of documents and their current ones, so bookmarks of /help/… still work.
// Invariant: help.test.ts follows each. Used by help-routes.ts.

const customers = "/docs/how-to/customers";
const operators = "/docs/how-to/operators";

/** By the path after /help/. Others have only changed from /help/ to /docs/. */
export const moved: Readonly<Record<string, string>> = {
  "": "/docs/start",
  start: "/docs/tutorials/first-rental",
  interface: "/docs/reference/api/conventions",
  integrating: `${customers}/integrate-a-marketplace`,
  cli: "/docs/reference/cli",
  clients: "/docs/reference/client-compatibility",
  architecture: "/docs/explanation/system-overview",
  operating: "/docs/tutorials/first-gpu-host",
  "operating/installing": `${operators}/install`,
  "operating/settings": "/docs/reference/settings",
  "operating/clusters": `${operators}/set-up-incus`,
  "operating/libvirt": `${operators}/set-up-libvirt`,
  "operating/checking": `${operators}/verify-hosts`,
  "operating/catalogue": `${operators}/define-the-catalog`,
  "operating/accounts": `${operators}/manage-accounts`,
  "operating/data": `${operators}/back-up-and-restore`,
  "operating/watching": `${operators}/monitor`,
  "operating/rehearsing": `${operators}/inject-faults`,
  tools: `${customers}/use-skypilot`,
  "tools/skypilot": `${customers}/use-skypilot`,
  "tools/dstack": `${customers}/use-dstack`,
  "tools/terraform": `${customers}/use-terraform`,
  "tools/sdks": `${customers}/use-sdks`,
  "tools/agents": `${customers}/connect-an-agent`,
};

// Every page of the console, as an address that can be opened in the fixed world: taken from the console's own list, so that
// no page is forgotten.

import { pages } from "../../../console/src/pages.ts";
import { idOf } from "./fixed/moments.ts";

export interface PageAddress {
  /** For the names of pictures and tests: "operator-fleet". */
  readonly name: string;
  readonly address: string;
}

/** What stands for the parameters of a path. */
const parameters: Readonly<Record<string, string>> = {
  "/instances/:id": idOf("instance", 1),
  "/operator/instances/:id": idOf("instance", 10),
  "/operator/accounts/:id": idOf("account", 3),
  "/webhooks/:id": idOf("webhook", 1),
  "/statements/:month": "2026-02",
};

/** All pages of somebody who is signed in. */
export const addresses: readonly PageAddress[] = pages.map(({ path }) => {
  const name = path
    .replace(/\/:\w+/g, "-one")
    .replaceAll("/", "-")
    .slice(1);
  const parameter = parameters[path];
  if (path.includes(":") && parameter === undefined) throw new Error(`Say in addresses.ts what stands for ${path}.`);
  return { name, address: path.replace(/:\w+/, parameter ?? "") };
});

// What is printed when the service is ready: its addresses, the first tokens once, and an example command.

import { resolve } from "node:path";
import type { InterfaceName, Listener } from "../config/interfaces.ts";
import { packaged } from "../packaged.ts";
import type { FirstTokens } from "./first-start.ts";

const titles: Record<InterfaceName, string> = {
  marketplace: "Marketplace (variant M)",
  direct: "Direct (variant D)",
  reference: "Reference (variant R)",
  lambda: "Reference, lambda edition",
  control: "Control",
};

const titleWidth = Math.max(...Object.values(titles).map(({ length }) => length));

/**
 * The addresses of the web console and of every interface, in the order of the listeners. `addresses` by the name of
 * the listener.
 */
export function placesText(listeners: readonly Listener[], addresses: ReadonlyMap<string, string>): string {
  const consoles = listeners.flatMap(({ name, mounts }) =>
    mounts
      .filter((mount) => mount.interface === "control")
      .map(
        ({ hostName }) =>
          `  ${"Console (browser)".padEnd(titleWidth)} ${addresses.get(name) ?? ""}/${hostText(hostName)}`,
      ),
  );
  const lines = listeners.flatMap((listener) =>
    listener.mounts.map((mount) => {
      const base = `${addresses.get(listener.name) ?? ""}${mount.prefix}`;
      const host = hostText(mount.hostName);
      return `  ${titles[mount.interface].padEnd(titleWidth)} ${base}\n  ${"".padEnd(titleWidth)} ${base}/docs${host}`;
    }),
  );
  return ["", "Lessor is ready.", "", ...consoles, ...lines].join("\n");
}

const hostText = (hostName: string | undefined) => (hostName === undefined ? "" : `   (host name ${hostName})`);

/** How to sign in to the demo's console without a token. */
export function signInText(address: string): string {
  return ["", `Sign in to the console with a token, or by email as ${address}: links are printed here.`].join("\n");
}

/** A sign-in link, which the demo prints instead of sending it. */
export function linkText(link: string): string {
  return ["", "Sign in:", "", `  ${link}`].join("\n");
}

/** Where metrics are served without a token. */
export function metricsText(url: string): string {
  return `  ${"Metrics".padEnd(titleWidth)} ${url}`;
}

/** The tokens that are shown only once. Empty if there are none. */
export function tokensText(tokens: FirstTokens): string {
  const lines = [
    tokens.customer === undefined ? [] : [`  Customer token  ${tokens.customer}`],
    tokens.operator === undefined ? [] : [`  Operator token  ${tokens.operator}`],
  ].flat();
  if (lines.length === 0) return "";
  return ["", "First start. Save these tokens; they won't be shown again:", "", ...lines].join("\n");
}

/** How to call this program, and where its examples are. */
export interface InstallPaths {
  readonly command: string;
  readonly examples: string;
}

const here: InstallPaths = packaged
  ? { command: "lessor", examples: resolve(import.meta.dirname, "../../examples") }
  : { command: "bin/lessor", examples: "examples" };

/** How to get capacity without the demo: from the service's own clusters or hosts, or from simulated ones. */
export function catalogText(control: string | undefined, hasEngines: boolean, place = here): string {
  const file = `${place.examples}/${hasEngines ? "cluster" : "demo"}-catalog.yaml`;
  const url = control === undefined ? "" : `LESSOR_URL=${control} `;
  const check = hasEngines ? ["", "Check your hosts:", "", `  ${place.command} engine check`] : [];
  const apply = `  ${url}LESSOR_TOKEN=$OPERATOR_TOKEN ${place.command} apply -f ${file}`;
  return [...check, "", "Apply a catalog:", "", apply].join("\n");
}

/** Where the service stores its data, and how to stop it. */
export function endText(dataDirectory: string | undefined): string {
  const data = dataDirectory === undefined ? [] : [`  Data  ${dataDirectory}`, ""];
  return ["", ...data, "Ctrl-C stops everything."].join("\n");
}

/** A command that launches an instance, ready to paste; `$TOKEN` stands for a customer's token. */
export function launchText(marketplace: string | undefined, token: string | undefined): string {
  if (marketplace === undefined) return "";
  const body = { instance_type_name: "gpu_1x_a6000", region_name: "any", ssh_key_names: [], quantity: 1 };
  return [
    "",
    "Launch an instance:",
    "",
    `  curl -s -X POST ${marketplace}/instance-operations/launch \\`,
    `    -H "Authorization: Bearer ${token ?? "$TOKEN"}" \\`,
    `    -d '${JSON.stringify(body)}'`,
  ].join("\n");
}

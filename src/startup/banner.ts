// What a person sees when the service is up: where everything is, the first tokens once, and a line to try.

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

/**
 * The places of the web console, which is beside the control interface, and of every interface, in the order of the
 * listeners. `addresses` by the name of the listener.
 */
export function placesText(listeners: readonly Listener[], addresses: ReadonlyMap<string, string>): string {
  const consoles = listeners.flatMap(({ name, mounts }) =>
    mounts
      .filter((mount) => mount.interface === "control")
      .map(({ hostName }) => `  ${"Console (browser)".padEnd(24)} ${addresses.get(name) ?? ""}/${hostText(hostName)}`),
  );
  const lines = listeners.flatMap((listener) =>
    listener.mounts.map((mount) => {
      const base = `${addresses.get(listener.name) ?? ""}${mount.prefix}`;
      const host = hostText(mount.hostName);
      return `  ${titles[mount.interface].padEnd(24)} ${base}\n  ${"".padEnd(24)} ${base}/docs${host}`;
    }),
  );
  return ["", "Lessor is ready.", "", ...consoles, ...lines].join("\n");
}

const hostText = (hostName: string | undefined) => (hostName === undefined ? "" : `   (host name ${hostName})`);

/** Where the metrics are without a token. */
export function metricsText(url: string): string {
  return `  ${"Metrics".padEnd(24)} ${url}`;
}

/** The tokens that are shown once. Empty where there are none to show. */
export function tokensText(tokens: FirstTokens): string {
  const lines = [
    tokens.customer === undefined ? [] : [`  Customer token  ${tokens.customer}`],
    tokens.operator === undefined ? [] : [`  Operator token  ${tokens.operator}`],
  ].flat();
  if (lines.length === 0) return "";
  return ["", "First start. Save these tokens; they won't be shown again:", "", ...lines].join("\n");
}

/** How a person calls this program, and where its examples are for them. */
export interface InstallPaths {
  readonly command: string;
  readonly examples: string;
}

const here: InstallPaths = packaged
  ? { command: "lessor", examples: resolve(import.meta.dirname, "../../examples") }
  : { command: "bin/lessor", examples: "examples" };

/** How a service without the demo gets something to rent: with clusters or hosts of its own, or with simulated ones. */
export function catalogText(control: string | undefined, hasEngines: boolean, place = here): string {
  const file = `${place.examples}/${hasEngines ? "cluster" : "demo"}-catalog.yaml`;
  const url = control === undefined ? "" : `LESSOR_URL=${control} `;
  const check = hasEngines ? ["", "Check your hosts:", "", `  ${place.command} engine check`] : [];
  const apply = `  ${url}LESSOR_TOKEN=$OPERATOR_TOKEN ${place.command} apply -f ${file}`;
  return [...check, "", "Apply a catalog:", "", apply].join("\n");
}

/** Where what the service keeps is, and how to end it. */
export function endText(dataDirectory: string | undefined): string {
  const data = dataDirectory === undefined ? [] : [`  Data  ${dataDirectory}`, ""];
  return ["", ...data, "Ctrl-C stops everything."].join("\n");
}

/** The line that launches a machine, ready to paste; `$TOKEN` stands for a customer's token that was shown before. */
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

// What a rental on real machines asks for in each variant's words, and what is looked at in its guest.

import type { VariantFacts } from "../../conformance/variants.ts";
import type { Customer, Service } from "./service.ts";

/** Everything that a shell could take for its own, line ends, and letters of several bytes. */
export const envVars = {
  QUOTES: `it's "quoted" and \`ticked\``,
  LINES: "first\nsecond\r\n\tthird\n",
  DOLLARS: "$HOME $" + "{PATH} $(id) $$ !! \\n \\\\",
  LETTERS: "Grüße, 你好, 🦭, e\u0301",
  EMPTY: "",
  SPACES: "  both ends  ",
};

/** A small instance with the customer's key, called "training"; `more` is over that. Gives its id. */
export async function launchBy(
  variant: VariantFacts,
  service: Service,
  customer: Customer,
  more: object = {},
): Promise<string> {
  const url = `${service.urls[variant.name]}${variant.launch.path}`;
  const order = variant.launch.body({ type: "small", region: "lab", name: "training", keys: ["key"] });
  const answer = await service.call("POST", url, customer.token, { ...order, ...more });
  return String(variant.launch.ids(answer)[0]);
}

export async function act(
  variant: VariantFacts,
  service: Service,
  customer: Customer,
  name: "restart" | "terminate",
  id: string,
): Promise<void> {
  const operation = variant.wishes[name];
  if (operation === undefined) throw new Error(`BUG: ${variant.name} has no ${name}`);
  const body = { [operation.ids]: [id] };
  await service.call("POST", `${service.urls[variant.name]}${operation.path}`, customer.token, body);
}

/** The values of these variables, as a program sees them that was started with those of .env. */
export async function envSeen(
  service: Service,
  id: string,
  customer: Customer,
  names: readonly string[],
): Promise<Record<string, string>> {
  const show = names.map((name) => `printf %s "$${name}" | base64 -w0; echo`).join("; ");
  const lines = (await service.inside(id, customer, `set -a; . ./.env; ${show}`)).split("\n");
  return Object.fromEntries(names.map((name, index) => [name, Buffer.from(lines[index] ?? "", "base64").toString()]));
}

/** The hosts as the operator sees them, each as a text: equal when as much is free. */
export async function hostsSeen(service: Service): Promise<string[]> {
  return (await service.control<object[]>("GET", "/hosts")).map((host) => JSON.stringify(host)).sort();
}

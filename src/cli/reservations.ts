// Reservations on the command line: how they are named and shown. Used by commands/reservations.ts and `launch
// --reservation`.

import type { Shape } from "../client/client.ts";
import { reservationTraits } from "../rules/reservations.ts";
import { byIdOrName } from "./names.ts";
import type { Column } from "./output/table.ts";
import { ago, cost, count, moment, perHour } from "./output/units.ts";
import type { Shell } from "./shell.ts";

export type Reservation = Shape<"Reservation">;

/** By their begin. */
export async function reservationsOf(shell: Shell): Promise<Reservation[]> {
  const { data } = await shell.client().ask((api) => api.GET("/reservations", { params: { query: {} } }));
  return data.toSorted((a, b) => Date.parse(a.from) - Date.parse(b.from));
}

export const isOpen = ({ state }: Reservation): boolean => reservationTraits[state].isOpen;

/** Those that are over are found only if no other is meant. Throws CommandError. */
export async function reservationNamed(shell: Shell, word: string): Promise<Reservation> {
  const all = await reservationsOf(shell);
  const named = { what: "reservation", list: "lessor reservations list --all" };
  const open = all.filter(isOpen);
  return byIdOrName(word, open.some((one) => isMeant(one, word)) ? open : all, named);
}

function isMeant({ id, name }: Reservation, word: string): boolean {
  return name.startsWith(word) || (word.length >= 4 && id.startsWith(word));
}

/** "2 x gpu_8x_h100_sxm5 in us-east-1" */
export function whatOf({
  quantity,
  instance_type: type,
  region,
}: Pick<Reservation, "quantity" | "instance_type"> & { readonly region: string | null }): string {
  const what = quantity === 1 ? type : `${count(quantity)} x ${type}`;
  return region === null ? what : `${what} in ${region}`;
}

export const reservationColumns: readonly Column<Reservation>[] = [
  { title: "ID", of: ({ id }) => id.slice(0, 13), spare: 1 },
  { title: "NAME", of: ({ name }) => name, colour: () => "bold" },
  {
    title: "STATE",
    of: ({ state }) => state,
    colour: (one) => (reservationTraits[one.state].isInForce ? "green" : isOpen(one) ? undefined : "dim"),
  },
  { title: "TYPE", of: ({ instance_type: type }) => type },
  { title: "REGION", of: ({ region }) => region, spare: 2 },
  { title: "USED", of: ({ used, quantity }) => `${used}/${quantity}`, align: "right" },
  { title: "FROM (UTC)", of: ({ from }) => moment(from) },
  { title: "TO (UTC)", of: ({ to }) => moment(to) },
  { title: "COST", of: ({ cost_cents: cents }) => cost(cents), align: "right", spare: 3 },
];

export function reservationFacts(one: Reservation): (readonly [string, string | number | null])[] {
  const hosts = one.hosts?.map(({ host, slots, used }) => `${host} (${slots}, ${used} used)`).join(", ");
  return [
    ["Name", one.name],
    ["State", one.state],
    ["Reason", one.reason],
    ["What", whatOf(one)],
    ["Used", `${one.used} of ${one.quantity}`],
    ["Not delivered", one.undelivered === 0 ? null : one.undelivered],
    ["From", `${moment(one.from)} UTC (${ago(one.from)})`],
    ["To", `${moment(one.to)} UTC (${ago(one.to)})`],
    ["Began", one.started_at === null ? null : `${moment(one.started_at)} UTC`],
    ["Ended", one.ended_at === null ? null : `${moment(one.ended_at)} UTC`],
    ["Price of one", perHour(one.price_cents_per_hour)],
    ["Cost of all", cost(one.cost_cents)],
    ["Credit", one.credit_micro_cents === "0" ? null : cost(`${Number(one.credit_micro_cents) / 1e6}`)],
    ["Hosts", hosts === undefined || hosts === "" ? null : hosts],
    ["At risk since", one.at_risk_since == null ? null : moment(one.at_risk_since)],
    ["Account", one.hosts === undefined ? null : one.account_id],
    ["Id", one.id],
  ];
}

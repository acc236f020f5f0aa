// Maintenance windows on the command line: how they are named and shown. Used by commands/maintenance.ts.

import type { Shape } from "../client/client.ts";
import { phaseTraits, type WindowPhase } from "../rules/maintenance.ts";
import { timestampFrom } from "../rules/timestamps.ts";
import { CommandError, usageError } from "./command-error.ts";
import { instanceOf } from "./instances.ts";
import { chosen } from "./names.ts";
import type { Column } from "./output/table.ts";
import { ago, moment, secondsIn } from "./output/units.ts";
import type { Shell } from "./shell.ts";

export type Window = Shape<"MaintenanceWindow">;

/** By their begin. */
export async function windowsOf(
  shell: Shell,
  { phase, host }: { readonly phase?: WindowPhase | undefined; readonly host?: string | undefined } = {},
): Promise<Window[]> {
  const query = { ...(phase !== undefined && { phase }), ...(host !== undefined && { host }) };
  const { data } = await shell.client().ask((api) => api.GET("/maintenance-windows", { params: { query } }));
  return data.toSorted((a, b) => Date.parse(a.from) - Date.parse(b.from));
}

/** Those that are over are found only if no other is meant. Throws CommandError. */
export async function windowNamed(shell: Shell, word: string): Promise<Window> {
  const windows = await windowsOf(shell);
  try {
    return windowIn(windows, word);
  } catch (error) {
    if (!(error instanceof CommandError) || error.exit !== "not-found") throw error;
    // The name of an instance, which windows do not have.
    const instance = await instanceOf(shell.client(), word).catch(() => undefined);
    if (instance?.maintenance == null) throw error;
    return windowIn(windows, instance.maintenance.id);
  }
}

function windowIn(windows: readonly Window[], word: string): Window {
  const starts = (text: string) => word.length >= 4 && text.startsWith(word);
  return chosen({
    word,
    what: "maintenance",
    groups: [windows.filter(isOpen), windows.filter((one) => !isOpen(one))],
    names: [(one) => one.id, (one) => one.host ?? ""],
    parts: [
      (one) => starts(one.id),
      (one) => one.host !== undefined && starts(one.host),
      (one) => one.instance_ids.some(starts),
    ],
    show: ({ id, host, from }) => `${id} (${[host, moment(from)].filter((text) => text !== undefined).join(", ")})`,
    list: "lessor maintenance list",
  });
}

/** A time, or a span from now, as the API takes it. Throws CommandError. */
export function timeIn(text: string, nowMs = Date.now()): string {
  if (text === "now") return new Date(nowMs).toISOString();
  if (!/^\d{4}-/.test(text)) return new Date(nowMs + secondsIn(text) * 1000).toISOString();
  const time = timestampFrom(text);
  if (time === undefined)
    throw usageError(`"${text}" is not a time with its offset.`, "Use 2026-03-07T02:00:00Z or 36h, for example.");
  return time.toISOString();
}

const isOpen = ({ phase }: Window) => phaseTraits[phase].isOpen;

/** For operators also the host. */
export function windowColumns(windows: readonly Window[]): readonly Column<Window>[] {
  const host: Column<Window> = { title: "HOST", of: (one) => one.host, colour: () => "bold" };
  return windows.some((one) => one.host !== undefined) ? [host, ...columns] : columns;
}

const columns: readonly Column<Window>[] = [
  { title: "FROM (UTC)", of: ({ from }) => moment(from) },
  { title: "TO (UTC)", of: ({ to }) => moment(to) },
  {
    title: "PHASE",
    of: ({ phase }) => phase,
    colour: ({ phase }) => (phaseTraits[phase].isInForce ? "yellow" : phaseTraits[phase].isOpen ? "green" : "dim"),
  },
  { title: "MODE", of: ({ mode }) => mode },
  { title: "INSTANCES", of: ({ instance_ids: ids }) => ids.length, align: "right", spare: 1 },
  { title: "REASON", of: ({ reason }) => reason, spare: 3 },
  { title: "ID", of: ({ id }) => id, spare: 2 },
];

export function windowFacts(one: Window): (readonly [string, string | number | null])[] {
  return [
    ["Host", one.host ?? null],
    ["From", `${moment(one.from)} UTC (${ago(one.from)})`],
    ["To", `${moment(one.to)} UTC (${ago(one.to)})`],
    ["Phase", one.phase],
    ["Ended", one.ended_at === null ? null : `${moment(one.ended_at)} UTC (${ago(one.ended_at)})`],
    ["Mode", one.mode],
    ["Reason", one.reason],
    ["Deferrable until", moment(one.deferrable_until)],
    ["Deferred", ago(one.deferred_at)],
    ["Deferred by", one.deferred_by ?? null],
    ["Scheduled by", one.created_by ?? null],
    ["Instances", one.instance_ids.join(", ")],
    ["Id", one.id],
  ];
}

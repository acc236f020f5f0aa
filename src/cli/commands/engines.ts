// `lessor engines`, for operators: lists engines and the result of the last poll.

import type { Command } from "commander";
import type { Shape } from "../../client/client.ts";
import { type Column, printTable } from "../output/table.ts";
import { ago } from "../output/units.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";

type Engine = Shape<"Engine">;

export function define(command: Command, shell: Shell): void {
  withJson(command).action(async ({ json }: { json: boolean }) => {
    const { data } = await shell.client().ask((api) => api.GET("/engines", { params: { query: {} } }));
    if (json) return printJson(shell, data);
    printTable(shell.out, data, columns, "No engines.");
    for (const { name, last_sweep_error: error } of data) {
      if (error !== null) shell.err.line(shell.err.paint("red", `${name}: ${error}`));
    }
  });
  examples(command, {
    "lessor engines": "check engine health",
    "lessor engine check": "verify engines and hosts, on the server itself",
  });
}

function stateOf({ kind, last_sweep_at, last_sweep_error }: Engine): string {
  if (kind === null) return "not in the settings";
  if (last_sweep_at === null) return "not synced yet";
  return last_sweep_error === null ? "healthy" : "failing";
}

const columns: readonly Column<Engine>[] = [
  { title: "ENGINE", of: ({ name }) => name, colour: () => "bold" },
  { title: "KIND", of: ({ kind }) => kind, spare: 3 },
  { title: "STATE", of: stateOf, colour: (one) => (stateOf(one) === "healthy" ? "green" : "red") },
  { title: "HOSTS", of: (one) => `${one.hosts_available}/${one.hosts}`, align: "right" },
  { title: "CORDONED", of: ({ hosts_cordoned }) => hosts_cordoned, align: "right", spare: 2 },
  { title: "INSTANCES", of: ({ instances }) => instances, align: "right" },
  { title: "UNREACHABLE", of: ({ instances_unreachable }) => instances_unreachable, align: "right", spare: 1 },
  { title: "LAST SYNC", of: ({ last_sweep_at }) => ago(last_sweep_at), spare: 4 },
];

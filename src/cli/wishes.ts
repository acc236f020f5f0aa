// Asking for a change of machines one after the other, and waiting for all of them. Used by stop, restart and terminate.
// Asking twice changes nothing more, so a lost answer may be asked for again.

import type { ControlClient } from "./control-client.ts";
import { type Instance, instanceColumns } from "./instances.ts";
import { printTable } from "./output/table.ts";
import { printJson, type Shell } from "./shell.ts";
import { type Goal, waitUntil } from "./wait.ts";

const asks = {
  stop: (client: ControlClient, id: string) =>
    client.ask((api) => api.POST("/instances/{id}/stop", { params: { path: { id } } })),
  restart: (client: ControlClient, id: string) =>
    client.ask((api) => api.POST("/instances/{id}/restart", { params: { path: { id } } })),
  terminate: (client: ControlClient, id: string) =>
    client.ask((api) => api.POST("/instances/{id}/terminate", { params: { path: { id } } })),
} as const;

export interface Wish {
  readonly kind: keyof typeof asks;
  readonly goal: Goal;
  readonly wait: boolean;
  readonly json: boolean;
}

/** Asks, waits where that is wanted, and shows the machines. Throws CommandError at the first that is refused. */
export async function carryOut(shell: Shell, machines: readonly Instance[], wish: Wish): Promise<void> {
  const client = shell.client();
  const asked: Instance[] = [];
  for (const { id } of machines) asked.push((await asks[wish.kind](client, id)).data);
  const ids = asked.map(({ id }) => id);
  const shown = wish.wait ? await waitUntil(shell, ids, wish.goal) : asked;
  if (wish.json) printJson(shell, shown);
  else printTable(shell.out, shown, instanceColumns, "");
}

// Requests an action on one or more instances and waits for all of them. Used by stop, restart, reboot and terminate.
// The actions are idempotent, so a request whose response was lost can be repeated.

import type { Command } from "commander";
import { goals } from "../rules/goals.ts";
import type { InstanceAction } from "../rules/lifecycle.ts";
import type { ControlClient } from "./connection/control-client.ts";
import { type Instance, instanceColumns } from "./instances.ts";
import { waitUntil } from "./launch/wait.ts";
import { oneByOne } from "./one-by-one.ts";
import { printTable } from "./output/table.ts";
import { printJson, type Shell } from "./shell.ts";

type Body = { readonly body?: { readonly reason: string } };

const asks = {
  stop: (client: ControlClient, id: string, body: Body) =>
    client.ask((api) => api.POST("/instances/{id}/stop", { params: { path: { id } }, ...body })),
  restart: (client: ControlClient, id: string, body: Body) =>
    client.ask((api) => api.POST("/instances/{id}/restart", { params: { path: { id } }, ...body })),
  reboot: (client: ControlClient, id: string, body: Body) =>
    client.ask((api) => api.POST("/instances/{id}/reboot", { params: { path: { id } }, ...body })),
  terminate: (client: ControlClient, id: string, body: Body) =>
    client.ask((api) => api.POST("/instances/{id}/terminate", { params: { path: { id } }, ...body })),
} as const satisfies Record<InstanceAction, unknown>;

export interface Action {
  readonly kind: InstanceAction;
  readonly wait: boolean;
  readonly json: boolean;
  /** The reason; required for operators. */
  readonly reason?: string | undefined;
}

/** The option that every action has: the service requires it of operators and shows it to the account. */
export function withReason(command: Command): Command {
  return command.option(
    "--reason <reason>",
    "the reason, shown to the account in events and audit log; required for operators",
  );
}

/**
 * Requests the action for all of them, waits if asked to, and shows them. A rejected one does not stop the others.
 * Throws CommandError if one was rejected, and at once if the service does not respond.
 */
export async function carryOut(shell: Shell, instances: readonly Instance[], action: Action): Promise<void> {
  const { kind, reason, json } = action;
  const client = shell.client();
  const body: Body = reason === undefined ? {} : { body: { reason } };
  const { accepted, throwRejected } = await oneByOne(
    "instances",
    instances,
    async ({ id }) => (await asks[kind](client, id, body)).data,
  );
  if (accepted.length > 0) {
    const ids = accepted.map(({ id }) => id);
    const shown = action.wait ? await waitUntil(shell, ids, goals[kind]) : accepted;
    if (json) printJson(shell, shown);
    else printTable(shell.out, shown, instanceColumns, "");
  }
  throwRejected();
}

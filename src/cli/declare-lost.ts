// `lessor hosts declare-lost`: shows what would end with a host, asks, and confirms exactly that. Without a terminal it
// takes two calls: the first one prints the confirmation, the second one sends it.

import type { Shape } from "../client/client.ts";
import { confirm } from "./ask.ts";
import { usageError } from "./command-error.ts";
import { type Column, printTable } from "./output/table.ts";
import { canAsk, printJson, type Shell } from "./shell.ts";
import { shellWord } from "./shell-word.ts";

type Loss = Shape<"HostLoss">;

export interface LossOptions {
  readonly reason: string;
  readonly confirmation?: string;
  readonly json: boolean;
}

/** Throws CommandError: the service rejected it, or the answer was no. */
export async function declareLost(shell: Shell, name: string, options: LossOptions): Promise<void> {
  const { reason, confirmation, json } = options;
  refuseEmptyReason(reason);
  if (confirmation !== undefined) {
    done(shell, await ask(shell, name, { reason, confirmation }), json);
    return;
  }
  const loss = await ask(shell, name, { reason });
  if (json) {
    printJson(shell, loss);
    return;
  }
  show(shell, loss);
  if (!canAsk(shell)) {
    const command = `lessor hosts declare-lost ${shellWord(name)} --reason ${shellWord(reason)}`;
    shell.out.line(`Nothing was changed. To confirm: ${command} --confirmation ${loss.confirmation}`);
    return;
  }
  await confirm(shell, { what: `All of this ends when ${name} is declared lost.`, yes: false });
  done(shell, await ask(shell, name, { reason, confirmation: loss.confirmation }), json);
}

/** Throws CommandError. The service would call it a field of a request. */
export function refuseEmptyReason(reason: string | undefined): void {
  if (reason?.trim() === "") throw usageError("The reason is empty.", "Give --reason one line for other operators.");
}

async function ask(shell: Shell, name: string, body: { reason: string; confirmation?: string }): Promise<Loss> {
  const request = { params: { path: { name } }, body };
  return (await shell.client().ask((api) => api.POST("/hosts/{name}/declare-lost", request))).data;
}

function show({ out }: Shell, loss: Loss): void {
  printTable(out, loss.instances, instanceColumns, "No instances end.");
  out.line("");
  printTable(out, loss.file_systems, fileSystemColumns, "No file systems are lost.");
  out.line("");
  out.line(`Its engine last reached it at ${loss.unreachable_since}: the instances are billed until then.`);
}

function done(shell: Shell, loss: Loss, json: boolean): void {
  const counts = `Instances that ended: ${loss.instances.length}. File systems lost: ${loss.file_systems.length}.`;
  if (json) printJson(shell, loss);
  else shell.out.line(`${loss.host.name} is declared lost. ${counts}`);
}

const instanceColumns: readonly Column<Loss["instances"][number]>[] = [
  { title: "INSTANCE", of: ({ id }) => id },
  { title: "NAME", of: ({ name }) => name, spare: 2 },
  { title: "ACCOUNT", of: ({ account }) => account },
  { title: "STATE", of: ({ status }) => status },
];

const fileSystemColumns: readonly Column<Loss["file_systems"][number]>[] = [
  { title: "FILE SYSTEM", of: ({ name }) => name },
  { title: "ACCOUNT", of: ({ account }) => account },
  { title: "SIZE GB", of: ({ size_gb: size }) => size, align: "right" },
];

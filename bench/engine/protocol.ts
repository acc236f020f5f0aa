// What the external engine's two halves say to each other: a line of JSON for each call and each result, in any order,
// over one Unix socket. Used by engine.ts, which the measured service runs, and process.ts, which has the machines.

import type { HostReport, MachineRef, MachineReport, MachineSpec } from "../../src/engines/engine.ts";

/** The calls that reach the process, with what each takes and gives. */
export interface Calls {
  hosts: { readonly takes: null; readonly gives: readonly HostReport[] };
  list: { readonly takes: null; readonly gives: readonly MachineReport[] };
  create: { readonly takes: MachineSpec; readonly gives: MachineReport };
  start: { readonly takes: MachineSpec; readonly gives: MachineReport };
  stop: { readonly takes: MachineRef; readonly gives: MachineReport };
  remove: { readonly takes: MachineRef; readonly gives: null };
  inspect: { readonly takes: MachineRef; readonly gives: MachineReport | null };
}

export type CallName = keyof Calls;

/** `number` comes back with the result. */
export type Call = { readonly [Name in CallName]: CallOf<Name> }[CallName];

export interface CallOf<Name extends CallName> {
  readonly number: number;
  readonly name: Name;
  readonly takes: Calls[Name]["takes"];
}

export interface CallResult {
  readonly number: number;
  readonly gives: Calls[CallName]["gives"];
}

/** Calls back with each line of what arrives, parsed. */
export function eachLine(socket: NodeJS.ReadableStream, onLine: (value: unknown) => void): void {
  let begun = "";
  socket.setEncoding("utf8");
  socket.on("data", (piece: string) => {
    const lines = `${begun}${piece}`.split("\n");
    begun = lines.pop() ?? "";
    for (const line of lines) onLine(JSON.parse(line));
  });
}

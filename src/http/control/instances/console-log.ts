// Control interface: the console output of an instance's machine. Read from the engine on request, and never stored.
// Invariant: only its account and operators read it; a long one is cut to its end.

import { Type } from "typebox";
import type { Api } from "../../api/operations.ts";
import * as field from "../fields.ts";
import { instanceFor } from "./instances.ts";

/** More does not help a person, and each request would hold it in memory. */
const mostBytes = 1_048_576;

const ConsoleLog = Type.Object(
  {
    text: Type.String({ description: "Empty if there is no output or the engine stores none." }),
    truncated: Type.Boolean({ description: "Whether earlier output was cut: only the last 1 MiB is shown." }),
  },
  { title: "ConsoleLog" },
);

export function consoleLogRoutes(api: Api): void {
  const { machines, closing } = api.context;
  api.get(
    "/instances/:id/console-log",
    {
      id: "getInstanceConsoleLog",
      tag: "Instances",
      summary: "Read an instance's console",
      description:
        "The serial console output since the last start, as far as the engine stores it: for debugging the " +
        "boot. Your own instances, or any account's with the operator scope.",
      scope: ["read", "operator"],
      params: field.IdParam,
      answer: field.one(ConsoleLog),
      example: {
        answer: { data: { text: "[    0.000000] Linux version 6.8.0\ntraining login: ", truncated: false } },
      },
      errors: ["unknown-object", "conflict", "machine-unreachable"],
    },
    async (call) => {
      const instance = await instanceFor(call, call.params.id);
      return { data: lastOf(await machines.consoleLog(instance, closing)) };
    },
  );
}

/** The last `most` bytes in UTF-8, from the start of a line if there is one. */
export function lastOf(text: string, most = mostBytes): { text: string; truncated: boolean } {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return { text: bytes.toString(), truncated: false };
  let from = bytes.length - most;
  const line = bytes.indexOf("\n", from - 1);
  if (line !== -1 && line < bytes.length - 1) from = line + 1;
  // Not within a character.
  while (((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
  return { text: bytes.toString("utf8", from), truncated: true };
}

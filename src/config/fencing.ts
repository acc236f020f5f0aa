// The settings of fencing (lessor.yaml `fencing`): which command turns which hosts off. Schema and parsed form.
// Used by config.ts and file-schema.ts; fencing/fence.ts runs the commands.

import { type Static, Type } from "typebox";
import { group, text } from "../settings/schema-parts.ts";
import { type HostCommand, hostCommandFields, listOfCommands, resolveHostCommand } from "./host-commands.ts";

export interface FenceSettings extends HostCommand {
  /** What its output has to contain, besides exit code 0. Undefined: nothing. */
  readonly offOutput: string | undefined;
}

export const FencingSchema = Type.Optional(
  Type.Array(
    group({
      ...hostCommandFields('[/usr/local/sbin/power-off, "{host}"]', 300),
      off_output: text("a text that the command prints once the host is off"),
    }),
    listOfCommands,
  ),
);

export function resolveFencing(settings: Static<typeof FencingSchema> | undefined): readonly FenceSettings[] {
  return (settings ?? []).map((one) => ({ ...resolveHostCommand(one, 60), offOutput: one.off_output }));
}

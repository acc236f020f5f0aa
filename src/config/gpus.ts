// The settings of GPUs (lessor.yaml `gpus`): which command is the GPU helper of which hosts, and what reports of faults
// lead to. Schema and parsed form. Used by config.ts and file-schema.ts; gpus/create-gpu-helper.ts runs the commands.

import { type Static, Type } from "typebox";
import { defaultFaultReports, type FaultReportSettings } from "../rules/fault-reports.ts";
import { group, integer } from "../settings/schema-parts.ts";
import { type HostCommand, hostCommandFields, listOfCommands, resolveHostCommand } from "./host-commands.ts";

export interface GpuSettings {
  /** Empty: no host has a helper. */
  readonly helpers: readonly HostCommand[];
  readonly faultReports: FaultReportSettings;
}

/** Long enough for eight resets, one after the other, of which one fails. */
const defaultTimeoutSeconds = 180;

export const GpusSchema = Type.Optional(
  group({
    helpers: Type.Optional(
      Type.Array(group(hostCommandFields('[ssh, "root@{host}", lessor-gpu-helper]', 900)), listOfCommands),
    ),
    fault_reports: Type.Optional(group({ per_day: integer(0, 1000), credit_minutes: integer(0, 43_200) })),
  }),
);

export function resolveGpus(settings: Static<typeof GpusSchema> | undefined): GpuSettings {
  const { per_day: perDay, credit_minutes: creditMinutes } = settings?.fault_reports ?? {};
  return {
    helpers: (settings?.helpers ?? []).map((one) => resolveHostCommand(one, defaultTimeoutSeconds)),
    faultReports: {
      perDay: perDay ?? defaultFaultReports.perDay,
      creditMinutes: creditMinutes ?? defaultFaultReports.creditMinutes,
    },
  };
}

// Which hosts the fleet page shows: by text, GPU model, status and state of GPUs.

import type { Shape } from "../../../../src/client/client.ts";
import { type CellState, cellState } from "./cells.ts";

type Host = Shape<"Host">;

/** The statuses of hosts. */
export const standings = {
  open: { label: "Schedulable", fits: (host: Host) => host.available && !host.cordoned },
  cordoned: { label: "Cordoned", fits: (host: Host) => host.cordoned },
  away: { label: "Unavailable", fits: (host: Host) => !host.available },
  overridden: { label: "Overridden", fits: (host: Host) => host.overridden !== null },
} as const;

/** Null and "" match every host. */
export interface FleetFilter {
  readonly text: string;
  readonly model: string | null;
  readonly standing: string | null;
  readonly state: CellState | null;
}

/** The hosts that match the filter, in their order: `hosts` itself if all do. */
export function filteredHosts(hosts: readonly Host[], { text, model, standing, state }: FleetFilter): readonly Host[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const rule = Object.entries(standings).find(([name]) => name === standing)?.[1];
  if (words.length === 0 && model === null && rule === undefined && state === null) return hosts;
  const matching = hosts.filter((host) => {
    const about = `${host.name} ${host.engine} ${host.region}`.toLowerCase();
    return (
      words.every((word) => about.includes(word)) &&
      (model === null || host.gpus.some((gpu) => gpu.model === model)) &&
      (rule === undefined || rule.fits(host)) &&
      (state === null || host.gpus.some((gpu) => cellState(host, gpu) === state))
    );
  });
  return matching.length === hosts.length ? hosts : matching;
}

/** Every GPU model of the hosts, by name. */
export function gpuModels(hosts: readonly Host[]): string[] {
  return [...new Set(hosts.flatMap(({ gpus }) => gpus.map(({ model }) => model)))].sort();
}

/** A host's name without its region as a prefix. */
export function shortName({ name, region }: Pick<Host, "name" | "region">): string {
  return name.startsWith(`${region}-`) ? name.slice(region.length + 1) : name;
}

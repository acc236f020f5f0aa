// Which hosts the fleet page shows: by text (names and labels), GPU model, state, and state of GPUs.

import type { Shape } from "../../../../src/client/client.ts";
import { hostStates } from "../../../../src/rules/host-lifecycle.ts";
import { type CellState, cellState } from "./cells.ts";
import { hostStateLabels } from "./host-labels.ts";

type Host = Shape<"Host">;

/** The states of hosts, by the name of the state; a host that is away is also found by what operators decided. */
export const standings: Readonly<Record<string, { readonly label: string; readonly fits: (host: Host) => boolean }>> = {
  ...Object.fromEntries(
    hostStates.map((state) => [
      state,
      { label: hostStateLabels[state].title, fits: (host: Host) => host.state === state || host.mode === state },
    ]),
  ),
  findings: { label: "With findings", fits: (host) => host.health.length > 0 },
  overridden: { label: "Overridden", fits: (host) => host.overridden !== null },
};

/** Null and "" match every host. */
export interface FleetFilter {
  readonly text: string;
  readonly model: string | null;
  readonly standing: string | null;
  /** A label, as `key=value`. */
  readonly label: string | null;
  readonly state: CellState | null;
}

/** The hosts that match the filter, in their order: `hosts` itself if all do. */
export function filteredHosts(
  hosts: readonly Host[],
  { text, model, standing, label, state }: FleetFilter,
): readonly Host[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const rule = Object.entries(standings).find(([name]) => name === standing)?.[1];
  if (words.length === 0 && [model, rule ?? null, label, state].every((one) => one === null)) return hosts;
  const matching = hosts.filter((host) => {
    const labels = labelsOf(host);
    const about = `${host.name} ${host.engine} ${host.region} ${labels.join(" ")}`.toLowerCase();
    return (
      words.every((word) => about.includes(word)) &&
      (model === null || host.gpus.some((gpu) => gpu.model === model)) &&
      (rule === undefined || rule.fits(host)) &&
      (label === null || labels.includes(label)) &&
      (state === null || host.gpus.some((gpu) => cellState(host, gpu) === state))
    );
  });
  return matching.length === hosts.length ? hosts : matching;
}

/** Every label of the hosts, as `key=value`, in order. */
export function hostLabels(hosts: readonly Host[]): string[] {
  return [...new Set(hosts.flatMap(labelsOf))].sort();
}

function labelsOf({ labels }: Host): string[] {
  return Object.entries(labels).map(([key, value]) => `${key}=${value}`);
}

/** Every GPU model of the hosts, by name. */
export function gpuModels(hosts: readonly Host[]): string[] {
  return [...new Set(hosts.flatMap(({ gpus }) => gpus.map(({ model }) => model)))].sort();
}

/** A host's name without its region as a prefix. */
export function shortName({ name, region }: Pick<Host, "name" | "region">): string {
  return name.startsWith(`${region}-`) ? name.slice(region.length + 1) : name;
}

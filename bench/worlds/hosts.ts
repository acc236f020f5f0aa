// The hosts of a dataset as an engine reports them. Used by the external engine; make-world.ts writes the same ones as
// rows of the simulated engine, because ten thousand are faster that way.

import type { HostReport } from "../../src/engines/engine.ts";
import { gpusPerHost, type HostGroup, hostSize } from "./catalog.ts";

export function hostsOf(groups: readonly HostGroup[]): HostReport[] {
  return groups.flatMap(({ prefix, count, regions, models }) =>
    Array.from({ length: count }, (_, n) => ({
      name: `${prefix}-${String(n).padStart(5, "0")}`,
      region: inTurn(regions, n),
      ...hostSize,
      available: true,
      sharedStorage: false,
      multiAttach: false,
      gpus: Array.from({ length: gpusPerHost }, (_, gpu) => ({
        address: `0000:${(16 + gpu).toString(16)}:00.0`,
        // The model changes after all regions had it once.
        model: inTurn(models, Math.floor(n / regions.length)),
        memoryGib: 80,
        numaNode: Math.floor((2 * gpu) / gpusPerHost),
        healthy: true,
      })),
    })),
  );
}

/** As SQL's `1 + n % cardinality` chooses. */
function inTurn(values: readonly string[], n: number): string {
  const value = values[n % values.length];
  if (value === undefined) throw new Error("BUG: a host group without regions or models");
  return value;
}

// Moves of the contract, on two hosts at once. Used by ../engine.ts.

import { EngineError, type Mover } from "../../engine.ts";
import { AtOnce } from "../at-once.ts";
import { readOwnDomain } from "../domains.ts";
import type { Inventory } from "../host/inventory.ts";
import type { HostConnection } from "../host-connection.ts";
import { type CopyPace, copyMachine, usualPace } from "./copy.ts";
import { removeCopyOn } from "./remove-copy.ts";

/** Each has some parts of a disk in memory, and a call waits for the others only some times as long as it takes itself. */
const MOST_COPIES = 8;

/** What the engine does for each of its calls. */
export interface MoverOptions {
  /** Whether the settings have a host of that name. */
  has(host: string): boolean;
  /** Runs the call on that host, and translates errors. `within`: aborts when the host does not respond. */
  on<T>(
    host: string,
    signal: AbortSignal,
    call: (place: HostConnection, within: AbortSignal) => Promise<T>,
  ): Promise<T>;
  inventoryOf(place: HostConnection, signal: AbortSignal): Promise<Inventory>;
  readonly pace?: CopyPace | undefined;
}

export function createMover({ has, on, inventoryOf, pace = usualPace }: MoverOptions): Mover {
  const atOnce = new AtOnce(MOST_COPIES);
  return {
    keepsSource: true,
    copy: async (spec, from, copiedBytes, signal) => {
      if (from === spec.host) throw new Error("BUG: a move from a host to itself");
      if (!has(spec.host)) {
        throw new EngineError("refused", "no-such-host", "The machine's new host no longer exists.");
      }
      return atOnce.run(() =>
        on(from, signal, (source, untilSource) =>
          on(spec.host, untilSource, async (target, within) => {
            const inventory = await inventoryOf(target, within);
            return copyMachine({ source, target, inventory }, spec, copiedBytes, pace, within);
          }),
        ),
      );
    },
    removeCopy: async ({ id, host }, kept, signal) => {
      if (host === kept) throw new Error("BUG: the copy to remove is the one to keep");
      const keptHas = () =>
        on(kept, signal, async (place, within) => (await readOwnDomain(place, id, within)) !== undefined);
      await on(host, signal, (place, within) => removeCopyOn(place, id, keptHas, within));
    },
  };
}

// What guests send, as a test says it, instead of the agents of an engine's machines.

import type { Engine } from "../../src/engines/engine.ts";

/** The engine, whose guests have sent this since the last round. */
export function sending(engine: Engine, sent: (id: string) => Uint8Array | undefined): Engine {
  const guestMetrics: Engine["guestMetrics"] = {
    readLines: async (machines) =>
      new Map(
        machines.flatMap(({ id }): [string, Uint8Array][] => {
          const line = sent(id);
          return line === undefined ? [] : [[id, line]];
        }),
      ),
    keepOnly: () => {},
  };
  return new Proxy(engine, {
    // The engine's own methods need it as `this`.
    get: (target, key) => {
      if (key === "guestMetrics") return guestMetrics;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

// The engines that run instances, and which of them takes hosts that an operator declares: the simulated one. Hosts of any
// other are discovered. Used by the fleet page and its drawer.

import { useRead } from "../../api/queries.ts";

export const useEngines = () => useRead(["engines"], (client) => client.GET("/engines"));

/** The name of the engine whose hosts are declared; undefined while engines are not known, and where there is none. */
export function useDeclaringEngine(): string | undefined {
  return useEngines().data?.data.find(({ kind }) => kind === "simulated")?.name;
}

/** What is out of date when a host has been changed. */
export const hostSubjects = ["hosts", "capacity", "offers", "engines"] as const;

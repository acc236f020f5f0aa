// Hosts and the engines that run instances on them, read once for all pages that show them.

import { useRead } from "../../api/queries.ts";
import { useWholeList } from "../../api/whole-list.ts";

export const useHosts = () =>
  useWholeList(["hosts"], (client, page) => client.GET("/hosts", { params: { query: page } }));

export const useEngines = () => useRead(["engines"], (client) => client.GET("/engines"));

/**
 * The name of the simulated engine, the only one whose hosts operators register: others discover theirs. Undefined while
 * engines are loading, and where there is none.
 */
export function useDeclaringEngine(): string | undefined {
  return useEngines().data?.data.find(({ kind }) => kind === "simulated")?.name;
}

/** The reads that a change of a host invalidates. */
export const hostSubjects = ["hosts", "gpus", "capacity", "offers", "engines"] as const;

// Reads all instances of the account, or one.

import { useRead } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";

/** All instances of the account, current and recently ended. */
export function useInstances() {
  const { account } = useSession();
  return useRead(["instances", "own"], (client) =>
    client.GET("/instances", { params: { query: { account_id: account.id } } }),
  );
}

/** One instance by its id. */
export function useInstance(id: string) {
  return useRead(["instances", "one", id], (client) => client.GET("/instances/{id}", { params: { path: { id } } }));
}

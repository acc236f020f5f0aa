// Reads all instances of the account or of all accounts, newest first, or one instance.

import type { LessorClient } from "../../../src/client/client.ts";
import { inList } from "../api/long-lists.ts";
import { useRead } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";
import { type PageAsked, useWholeList } from "../api/whole-list.ts";

/** All instances of the account, current and recently ended. */
export function useInstances() {
  const { account } = useSession();
  return useWholeList(["instances", "own"], (client, page) => listPage(client, page, account.id));
}

/** Instances of all accounts; for operators. */
export const useAllInstances = ({ enabled = true }: { readonly enabled?: boolean } = {}) =>
  useWholeList(["instances", "all"], (client, page) => listPage(client, page), { enabled });

async function listPage(client: LessorClient, page: PageAsked, accountId?: string) {
  const query = {
    ...page,
    order: "newest-first",
    ...(accountId === undefined ? {} : { account_id: accountId }),
  } as const;
  const { data, ...answer } = await client.GET("/instances", { params: { query } });
  return data === undefined ? answer : { ...answer, data: { data: data.data.map(inList) } };
}

/** One instance by its id. */
export function useInstance(id: string) {
  return useRead(["instances", "one", id], (client) => client.GET("/instances/{id}", { params: { path: { id } } }));
}

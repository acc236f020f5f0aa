// The own account as it is now; the session has it as it was at sign-in.

import type { Shape } from "../../../src/client/client.ts";
import { useRead } from "./queries.ts";
import { useSession } from "./session-context.tsx";

export function useOwnAccount(): Shape<"OwnAccount"> {
  const { account } = useSession();
  return useRead(["account"], (client) => client.GET("/account")).data?.data ?? account;
}

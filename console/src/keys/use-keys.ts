// Reads the account's SSH keys.

import { useRead } from "../api/queries.ts";

export function useKeys() {
  return useRead(["ssh-keys"], (client) => client.GET("/ssh-keys"));
}

// Keystone and Placement: the services that are only WSGI applications.

import type { Layout } from "../layout.ts";
import { databaseOf, ini, tokens } from "./ini.ts";

export function keystone(layout: Layout): string {
  return ini({
    database: databaseOf("keystone"),
    token: { provider: "fernet" },
    fernet_tokens: { key_repository: layout.fernet },
    // Its default is under /etc, also where nothing uses them.
    fernet_receipts: { key_repository: layout.fernet },
    credential: { key_repository: layout.credential },
    // Validating a token takes several queries, and hashing a password as usual a quarter of a second.
    cache: { enabled: true, backend: "dogpile.cache.memory" },
    identity: { password_hash_rounds: 4 },
  });
}

export function placement(layout: Layout): string {
  return ini({
    placement_database: databaseOf("placement"),
    api: { auth_strategy: "keystone" },
    ...tokens(layout),
  });
}

// Control interface: the replicas that use this database, for operators. Source: docs/reference/api/control.md.

import { Type } from "typebox";
import { expirySeconds, liveReplicas, type Replica } from "../../../replicas/replica-store.ts";
import type { Api } from "../../api/operations.ts";
import { byId, pageQuery } from "../../api/paging.ts";
import { sample } from "../../api/schema.ts";
import * as field from "../fields.ts";

const ShownReplica = Type.Object(
  {
    id: field.uuid(),
    host: Type.String({ description: "Hostname of the replica.", examples: ["lessor-1"] }),
    pid: Type.Integer({ description: "Process ID of the replica." }),
    version: Type.String({ examples: ["1.0.0"] }),
    started_at: field.timestamp(),
    seen_at: field.timestamp(),
    key_ids: Type.Array(Type.String(), { description: "IDs of its encryption keys.", examples: [["9f2c61d4"]] }),
    current_key_id: Type.String({ description: "ID of the key it encrypts with.", examples: ["9f2c61d4"] }),
  },
  { title: "Replica" },
);

const example = {
  id: sample.id,
  host: "lessor-1",
  pid: 4711,
  version: "1.0.0",
  started_at: "2026-03-01T12:00:00.000Z",
  seen_at: "2026-03-01T18:30:00.000Z",
  key_ids: ["9f2c61d4", "41d0aa7e"],
  current_key_id: "9f2c61d4",
};

export function replicaRoutes(api: Api): void {
  api.get(
    "/replicas",
    {
      id: "listReplicas",
      tag: "Servers",
      summary: "List running replicas",
      description: `All replicas of this database. A replica without a heartbeat for ${expirySeconds} seconds is expired.`,
      scope: "operator",
      query: Type.Object(pageQuery),
      answer: field.many(ShownReplica),
      example: { answer: { data: [example] } },
    },
    async ({ db, page }) => ({ data: (await page(byId, (window) => liveReplicas(db, window))).map(view) }),
  );
}

function view(replica: Replica) {
  return {
    id: replica.id,
    host: replica.host,
    pid: replica.pid,
    version: replica.version,
    started_at: replica.startedAt.toISOString(),
    seen_at: replica.seenAt.toISOString(),
    key_ids: [...replica.keyIds],
    current_key_id: replica.currentKeyId,
  };
}

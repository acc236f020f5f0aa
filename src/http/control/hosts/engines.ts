// Control interface: the engines that run machines, and their health, for operators.

import { Type } from "typebox";
import { type EngineKindName, engineKindNames } from "../../../engines/kinds.ts";
import { type EngineHealth, engineHealths } from "../../../rental/capacity/engine-health.ts";
import type { Api } from "../../api/operations.ts";
import { byName, pageQuery } from "../../api/paging.ts";
import * as field from "../fields.ts";

const Engine = Type.Object(
  {
    name: field.name("cluster-a"),
    kind: field.orNull(
      Type.Enum(engineKindNames),
      "Null: the engine is not in the settings of this replica, so its hosts and instances are not reconciled.",
    ),
    hosts: Type.Integer(),
    hosts_available: Type.Integer({ description: "Number of hosts that the engine reports as available." }),
    hosts_cordoned: Type.Integer(),
    instances: Type.Integer({ description: "Not terminated." }),
    instances_unreachable: Type.Integer({ description: "Number of unreachable instances." }),
    last_sweep_at: field.orNull(
      field.timestamp(),
      "When its hosts and machines were last synced, successfully or not; null: never.",
    ),
    last_sweep_error: field.orNull(Type.String(), "Why the last sync failed; null if it succeeded."),
    last_good_sweep_at: field.orNull(field.timestamp(), "When a sync last succeeded."),
  },
  { title: "Engine" },
);

export function engineRoutes(api: Api): void {
  const configured = new Map(api.context.config.engines.map(({ kind, settings }) => [settings.name, kind]));
  const view = (one: EngineHealth, kind: EngineKindName | undefined) => ({
    name: one.name,
    kind: kind ?? null,
    hosts: one.hosts,
    hosts_available: one.hostsAvailable,
    hosts_cordoned: one.hostsCordoned,
    instances: one.instances,
    instances_unreachable: one.instancesUnreachable,
    last_sweep_at: one.lastSweepAt?.toISOString() ?? null,
    last_sweep_error: one.lastSweepError,
    last_good_sweep_at: one.lastGoodSweepAt?.toISOString() ?? null,
  });
  const example: EngineHealth = {
    name: "cluster-a",
    hosts: 12,
    hostsAvailable: 11,
    hostsCordoned: 1,
    instances: 73,
    instancesUnreachable: 2,
    lastSweepAt: new Date("2026-03-01T18:30:00.000Z"),
    lastSweepError: null,
    lastGoodSweepAt: new Date("2026-03-01T18:30:00.000Z"),
  };

  api.get(
    "/engines",
    {
      id: "listEngines",
      tag: "Hosts",
      summary: "List engines",
      description: "Engines by name, with their numbers of hosts and instances and the result of the last sync.",
      scope: "operator",
      query: Type.Object(pageQuery),
      answer: field.many(Engine),
      example: { answer: { data: [view(example, "incus")] } },
    },
    async ({ db, page }) => {
      const found = await page(byName, (window) => engineHealths(db, [...configured.keys()], window));
      return { data: found.map((one) => view(one, configured.get(one.name))) };
    },
  );
}

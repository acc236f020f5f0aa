// Control interface: what is done with one instance, for its account. Each is the same function as in the variants; the
// answer is the whole record, so that who asked need not read it again.

import * as instances from "../../rental/instances/index.ts";
import type { Wish } from "../../rental/instances/lifecycle.ts";
import { standingOf } from "../../rental/instances/standing.ts";
import type { ErrorKind } from "../errors/refusal.ts";
import type { Api } from "../operations.ts";
import * as field from "./fields.ts";
import * as view from "./instance-view.ts";

const tag = "Instances";

interface InstanceOperation {
  readonly wish: Exclude<Wish, "reboot">;
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  readonly after: "stopping" | "booting" | "terminating";
  readonly errors: readonly ErrorKind[];
}

const operations: readonly InstanceOperation[] = [
  {
    wish: "stop",
    id: "stopInstance",
    summary: "Stop an instance",
    description:
      "Halts it. Its data, its address and its place are kept, and billing continues. May be repeated safely.",
    after: "stopping",
    errors: ["instance-terminated"],
  },
  {
    wish: "restart",
    id: "restartInstance",
    summary: "Restart a stopped instance",
    description: "Starts an instance that is stopped, and no other.",
    after: "booting",
    errors: ["instance-not-stopped"],
  },
  {
    wish: "terminate",
    id: "terminateInstance",
    summary: "Terminate an instance",
    description:
      "Removes it and destroys its data; file systems and what is on them stay. Billing ends now. May be repeated safely.",
    after: "terminating",
    errors: [],
  },
];

export function instanceOperationRoutes(api: Api): void {
  for (const { wish, id, summary, description, after, errors } of operations) {
    api.post(
      `/instances/:id/${wish}`,
      {
        id,
        tag,
        summary,
        description,
        params: field.IdParam,
        answer: field.one(view.ReadInstance),
        example: { answer: { data: { ...view.examples.forAccount, status: after } } },
        errors: ["unknown-object", ...errors],
      },
      async ({ tx, service, tenant, params }) => {
        const [changed] = await instances.change(tx, service, tenant, wish, [params.id], "id");
        if (changed === undefined) throw new Error("BUG: a wish for one instance gave none back");
        return { data: view.forTenant(tenant, changed, await standingOf(tx, changed.id)) };
      },
    );
  }
}

// Control interface: what is done with one instance, by its account or, with a reason, by an operator. What each does is
// the same as in the variants; the answer is the whole record, so that who asked need not read it again.

import { Type } from "typebox";
import * as instances from "../../../rental/instances/index.ts";
import { reconcileStatusOf } from "../../../rental/instances/reconcile-status.ts";
import type { InstanceAction } from "../../../rules/lifecycle.ts";
import type { Api } from "../../api/operations.ts";
import type { ErrorKind } from "../../errors/api-error.ts";
import * as field from "../fields.ts";
import * as view from "./view.ts";

const tag = "Instances";

const Reason = Type.Object(
  {
    reason: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: instances.longestReason,
        description:
          `Why, in one line of up to ${instances.longestReason} characters: the event and the audit log state it. ` +
          "Required of an operator.",
        examples: ["Scheduled maintenance of the host"],
      }),
    ),
  },
  { title: "Reason" },
);

const operators = "With the scope `operator`, any account's instance, with a `reason` that its account can read.";

interface InstanceOperation {
  readonly wish: InstanceAction;
  readonly summary: string;
  readonly description: string;
  readonly after: "stopping" | "booting" | "terminating";
  readonly errors: readonly ErrorKind[];
}

const operations: readonly InstanceOperation[] = [
  {
    wish: "stop",
    summary: "Stop an instance",
    description:
      "Halts it. Its data, its address and its place are kept, and billing continues. May be repeated safely.",
    after: "stopping",
    errors: ["instance-terminated"],
  },
  {
    wish: "restart",
    summary: "Restart a stopped instance",
    description: "Starts an instance that is stopped, and no other.",
    after: "booting",
    errors: ["instance-not-stopped"],
  },
  {
    wish: "reboot",
    summary: "Reboot an instance",
    description:
      "Halts the machine of an active instance and starts it again; starts one that is stopped. Its data and its address " +
      "are kept, and billing continues. One that is booting is left to it.",
    after: "booting",
    errors: ["conflict"],
  },
  {
    wish: "terminate",
    summary: "Terminate an instance",
    description:
      "Removes it and destroys its data; file systems and what is on them stay. Billing ends now. May be repeated safely.",
    after: "terminating",
    errors: [],
  },
];

export function instanceOperationRoutes(api: Api): void {
  for (const { wish, summary, description, after, errors } of operations) {
    api.post(
      `/instances/:id/${wish}`,
      {
        id: `${wish}Instance`,
        tag,
        summary,
        description: `${description} ${operators}`,
        scope: ["write", "operator"],
        ofInstance: true,
        params: field.IdParam,
        body: Reason,
        bodyOptional: true,
        answer: field.one(view.ReadInstance),
        example: { request: {}, answer: { data: { ...view.examples.forAccount, status: after } } },
        errors: ["unknown-object", ...errors],
      },
      async ({ tx, service, principal, params, body }) => {
        const change = { wish, id: params.id, reason: body.reason };
        const changed = await instances.changeOne(tx, service, principal, change);
        return { data: view.forPrincipal(principal, changed, await reconcileStatusOf(tx, changed.id)) };
      },
    );
  }
}

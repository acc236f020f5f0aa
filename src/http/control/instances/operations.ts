// Control interface: actions on one instance, by its account or, with a reason, by an operator. Each does the same as
// in the variants; the response is the whole record, so that the caller need not read it again.

import { Type } from "typebox";
import { changeOne } from "../../../rental/instances/change-one.ts";
import { longestReason } from "../../../rental/instances/reason.ts";
import { reconcileStatusOf } from "../../../rental/instances/reconcile-status.ts";
import type { InstanceAction } from "../../../rules/lifecycle.ts";
import { stateAfter } from "../../api/instance-actions.ts";
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
        maxLength: longestReason,
        description:
          `Reason in one line of up to ${longestReason} characters, shown in the event and the audit log. ` +
          "Required for operators.",
        examples: ["Scheduled maintenance of the host"],
      }),
    ),
  },
  { title: "Reason" },
);

const operators =
  "With the scope `operator`, also for any account's instance, with a `reason` that its account can read.";

interface InstanceOperation {
  readonly wish: InstanceAction;
  readonly summary: string;
  readonly description: string;
  readonly errors: readonly ErrorKind[];
}

const operations: readonly InstanceOperation[] = [
  {
    wish: "stop",
    summary: "Stop an instance",
    description:
      "Stops the machine. Its data, address and capacity stay reserved, and billing continues. Safe to repeat.",
    errors: ["instance-terminated"],
  },
  {
    wish: "restart",
    summary: "Restart a stopped instance",
    description: "Starts a stopped instance. Rejected with 409 while maintenance of its host keeps it stopped.",
    errors: ["instance-not-stopped", "conflict"],
  },
  {
    wish: "reboot",
    summary: "Reboot an instance",
    description:
      "Stops the machine of an active instance and starts it again; starts a stopped one. Its data and address " +
      "stay, and billing continues. Has no effect while it is booting.",
    errors: ["conflict"],
  },
  {
    wish: "terminate",
    summary: "Terminate an instance",
    description: "Deletes it and its data; file systems and their data stay. Billing ends now. Safe to repeat.",
    errors: [],
  },
];

export function instanceOperationRoutes(api: Api): void {
  for (const { wish, summary, description, errors } of operations) {
    api.post(
      `/instances/:id/${wish}`,
      {
        id: `${wish}Instance`,
        tag,
        summary,
        description: `${description} ${operators}`,
        scope: ["write", "operator"],
        namesAccount: true,
        statesReason: true,
        params: field.IdParam,
        body: Reason,
        bodyOptional: true,
        answer: field.one(view.ReadInstance),
        example: { request: {}, answer: { data: { ...view.examples.forAccount, status: stateAfter(wish) } } },
        errors: ["unknown-object", ...errors],
      },
      async ({ tx, service, principal, params, body }) => {
        const change = { wish, id: params.id, reason: body.reason };
        const changed = await changeOne(tx, service, principal, change);
        return { data: view.forPrincipal(principal, changed, await reconcileStatusOf(tx, changed.id)) };
      },
    );
  }
}

// Control interface: turns an unreachable host off by its operator's command, for operators. What it allows:
// rental/hosts/verified-off.ts.

import { readHost } from "../../../rental/capacity/host-reading.ts";
import { RentalError } from "../../../rental/errors.ts";
import { recordOff, refuseFencing } from "../../../rental/hosts/verified-off.ts";
import type { HttpContext } from "../../api/context.ts";
import type { Api } from "../../api/operations.ts";
import * as field from "../fields.ts";
import * as view from "./view.ts";

export function fenceRoutes(api: Api): void {
  api.post(
    "/hosts/:name/fence",
    {
      id: "fenceHost",
      tag: "Hosts",
      summary: "Fence a host",
      description:
        "Turns a host off that its engine cannot reach, by the command of `fencing` in lessor.yaml, and verifies that it is " +
        "off: then nothing on it runs any more. The response follows when the command has ended, after its " +
        "`timeout_seconds` at the latest. Rejected with 409 for a host that answers, without a command, and if the " +
        "command does not say that the host is off. Safe to repeat.",
      scope: "operator",
      params: field.NameParam,
      body: view.HostReason,
      bodyOptional: true,
      answer: field.one(view.ShownHost),
      example: { request: { reason: "The management network is down" }, answer: { data: view.examples.off } },
      errors: ["unknown-object", "conflict"],
      statesReason: true,
      before: async ({ params }) => fence(api.context, params.name),
    },
    async ({ tx, params }, off) => ({ data: view.host(await recordOff(tx, params.name, off)) }),
  );
}

/** Returns when the command began that turned the host off. Throws RentalError unknown-object, conflict. */
async function fence({ db, machines, fencing }: HttpContext, name: string): Promise<Date> {
  const host = await readHost(db, name);
  refuseFencing(host);
  if ((await machines.identityOf(host)) !== undefined) {
    throw new RentalError("conflict", {
      message: `Host ${name} is not fenced: it answered its engine ${host.engine} at ${new Date().toISOString()}.`,
      suggestion: "Cordon or drain it. Only a host that its engine cannot reach can be fenced.",
    });
  }
  const verdict = await fencing.fence(name);
  if (verdict === undefined) {
    throw new RentalError("conflict", {
      message: `No command is set that turns host ${name} off.`,
      suggestion: "Add one to `fencing` in lessor.yaml. If the host is gone for good, declare it lost and delete it.",
    });
  }
  if (verdict.isOff) return verdict.at;
  throw new RentalError("conflict", {
    message: `Host ${name} is not verified to be off. ${verdict.why}`,
    suggestion: "Run the command by hand to see what it prints, then fence the host again.",
  });
}

// Control interface: declares a host lost, in two steps, for operators. What it does: rental/hosts/declare-lost.ts.

import { Type } from "typebox";
import { storedIdentity } from "../../../database/engine-identities.ts";
import { readHost } from "../../../rental/capacity/host-reading.ts";
import { RentalError } from "../../../rental/errors.ts";
import { declareLost, type HostLoss } from "../../../rental/hosts/declare-lost.ts";
import { afterHostAction } from "../../../rules/host-lifecycle.ts";
import { states } from "../../../rules/lifecycle.ts";
import type { HttpContext } from "../../api/context.ts";
import type { Api } from "../../api/operations.ts";
import { sample } from "../../api/schema.ts";
import * as field from "../fields.ts";
import * as view from "./view.ts";

const account = () => Type.String({ description: "The name of its account." });

const ShownLoss = Type.Object(
  {
    declared: Type.Boolean({ description: "Whether it has been declared lost. False: nothing was changed." }),
    confirmation: Type.String({ description: "Send it to declare the host lost, which ends exactly this." }),
    unreachable_since: field.timestamp(),
    instances: Type.Array(
      Type.Object({
        id: field.uuid(),
        name: Type.String(),
        account: account(),
        status: Type.Enum(states, { title: "InstanceStatus" }),
      }),
      { description: "The instances on it, which end." },
    ),
    file_systems: Type.Array(
      Type.Object({ id: field.uuid(), name: Type.String(), account: account(), size_gb: Type.Integer() }),
      { description: "The file systems on its own storage, which are lost. Those on shared storage are not." },
    ),
    host: view.ShownHost,
  },
  { title: "HostLoss" },
);

const Declaration = Type.Object({
  reason: field.reason("Burnt power supply, written off"),
  confirmation: field.confirmation(),
});

const example = {
  declared: false,
  confirmation: "5f0c2b1e9a7d4c36",
  unreachable_since: "2026-03-01T11:58:30.000Z",
  instances: [{ id: sample.id, name: "train-1", account: "acme", status: "active" as const }],
  file_systems: [{ id: "0198c5a4-33cc-7dd4-9ee5-ff6677889900", name: "models", account: "acme", size_gb: 512 }],
  host: view.examples.unreachable,
};

export function lostHostRoutes(api: Api): void {
  api.post(
    "/hosts/:name/declare-lost",
    {
      id: "declareHostLost",
      tag: "Hosts",
      summary: "Declare a host lost",
      description:
        "For a host that its engine cannot reach and that will not return as it was. Without `confirmation` nothing " +
        "happens: the response lists what would end, and the `confirmation` to send for it. With it, its instances end with " +
        "`host-lost`, billed until `unreachable_since`; the file systems on its own storage are lost; its capacity is " +
        "not offered. Rejected with 409 for a host that its engine reaches, and if something else would end than what was " +
        "confirmed. If the host returns, what it still runs is removed, and it is cordoned.",
      scope: "operator",
      params: field.NameParam,
      body: Declaration,
      answer: field.one(ShownLoss),
      example: { request: { reason: "Burnt power supply, written off" }, answer: { data: example } },
      errors: ["unknown-object", "conflict"],
      statesReason: true,
      isPreview: ({ confirmation }) => confirmation === undefined,
      before: async ({ params, body }) => {
        if (body.confirmation !== undefined) await refuseAnswering(api.context, params.name);
      },
    },
    async ({ tx, principal, service, params, body }) => {
      const { reason, confirmation } = body;
      const enginesOfOneCopy = service.enginesOfOneCopy?.();
      const declaration = { reason, confirmation, by: principal.accountId, enginesOfOneCopy };
      return { data: shown(await declareLost(tx, params.name, declaration)) };
    },
  );
}

/**
 * The last resync may be some time ago, so the host itself is asked. One that answers with another identity was
 * reinstalled. A host that is lost already is left to the declaration, which can be a repeated one. Throws RentalError
 * unknown-object, conflict.
 */
async function refuseAnswering({ db, machines }: HttpContext, name: string): Promise<void> {
  const host = await readHost(db, name);
  if (afterHostAction(host.mode, "declare-lost") === undefined) return;
  const answer = await machines.identityOf(host);
  if (answer === undefined) return;
  const known = await storedIdentity(db, host.engine, answer.ofHost ? name : undefined);
  if (known !== undefined && known !== answer.identity) return;
  throw new RentalError("conflict", {
    message: `Host ${name} is not lost: it answered its engine ${host.engine} at ${new Date().toISOString()}.`,
    suggestion: "Cordon or drain it. Only a host that its engine cannot reach can be declared lost.",
  });
}

function shown(loss: HostLoss) {
  return {
    declared: loss.isDeclared,
    confirmation: loss.confirmation,
    unreachable_since: loss.unreachableSince.toISOString(),
    instances: loss.instances.map(({ id, name, account, state }) => ({ id, name, account, status: state })),
    file_systems: loss.fileSystems.map(({ id, name, account, sizeGb }) => ({ id, name, account, size_gb: sizeGb })),
    host: view.host(loss.host),
  };
}

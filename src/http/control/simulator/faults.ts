// Control interface: faults of the simulated engine, for operators who want to see what customers and alerts make of
// them. The kinds are those of rules/simulator-faults.ts. Without a simulated engine every operation is a 404.

import { type Static, Type } from "typebox";
import { invalid, RentalError } from "../../../rental/errors.ts";
import {
  type FaultOrder,
  faultKindNames,
  faultOperations,
  faultParameters,
  faultScopes,
  problemOfFault,
  type StoredFault,
} from "../../../rules/simulator-faults.ts";
import type { Api } from "../../api/operations.ts";
import * as field from "../fields.ts";
import type { Simulator } from "./simulator.ts";

const tag = "Simulator";

const Parameters = Type.Object(
  {
    seconds: Type.Optional(Type.Number({ minimum: 0, maximum: 86_400, description: faultParameters.seconds.meaning })),
    code: Type.Optional(Type.String({ maxLength: 64, description: faultParameters.code.meaning })),
    severity: Type.Optional(Type.String({ maxLength: 16, description: faultParameters.severity.meaning })),
    message: Type.Optional(Type.String({ maxLength: 300, description: faultParameters.message.meaning })),
    copies: Type.Optional(Type.Integer({ minimum: 0, maximum: 1000, description: faultParameters.copies.meaning })),
  },
  { title: "FaultParameters" },
);

const target = Type.String({ maxLength: 100, description: "The name of the host, or the id of the instance." });

const FaultBody = Type.Object(
  {
    scope: Type.Enum(faultScopes, { title: "FaultScope" }),
    target: Type.Optional(field.orNull(target, "Null: none, for everything.")),
    operation: Type.Optional(
      field.orNull(Type.Enum(faultOperations, { title: "FaultOperation" }), "Null: what is usual for the kind."),
    ),
    kind: Type.Enum(faultKindNames, { title: "FaultKind", description: "See the reference of faults." }),
    remaining: Type.Optional(field.orNull(field.whole(1, 1_000_000), "How many calls it affects. Null: all.")),
    parameters: Type.Optional(Parameters),
  },
  { title: "NewFault" },
);

const ShownFault = Type.Object(
  {
    id: Type.Integer(),
    scope: Type.Enum(faultScopes, { title: "FaultScope" }),
    target: field.orNull(Type.String()),
    operation: field.orNull(Type.Enum(faultOperations, { title: "FaultOperation" }), "Null: every one."),
    kind: Type.Enum(faultKindNames, { title: "FaultKind" }),
    remaining: field.orNull(Type.Integer(), "Null: all."),
    parameters: Parameters,
    created_at: field.timestamp(),
  },
  { title: "Fault" },
);

const example: Static<typeof ShownFault> = {
  id: 7,
  scope: "host",
  target: "us-east-1-a10-01",
  operation: "create",
  kind: "hangs",
  remaining: 3,
  parameters: {},
  created_at: "2026-03-01T12:00:00.000Z",
};

export function simulatorRoutes(api: Api): void {
  /** Throws RentalError unknown-object. */
  function simulator(): Simulator {
    const { simulator: found } = api.context;
    if (found === undefined) throw new RentalError("unknown-object", { what: "simulated engine", ids: ["simulated"] });
    return found;
  }

  api.get(
    "/simulator/faults",
    {
      id: "listFaults",
      tag,
      summary: "List faults",
      description: "The faults in effect, in the order in which they apply.",
      scope: "operator",
      answer: field.many(ShownFault),
      example: { answer: { data: [example] } },
      errors: ["unknown-object"],
    },
    async ({ db }) => ({ data: (await simulator().list(db)).map(faultView) }),
  );

  api.post(
    "/simulator/faults",
    {
      id: "addFault",
      tag,
      summary: "Inject a fault",
      description: "Effective at once on every server, until it is removed or has affected `remaining` calls.",
      scope: "operator",
      body: FaultBody,
      answer: field.one(ShownFault),
      example: {
        request: { scope: "host", target: "us-east-1-a10-01", operation: "create", kind: "hangs", remaining: 3 },
        answer: { data: example },
      },
      errors: ["unknown-object"],
    },
    async ({ tx, body }) => {
      const order: FaultOrder = {
        scope: body.scope,
        target: body.target ?? null,
        operation: body.operation ?? null,
        kind: body.kind,
        remaining: body.remaining ?? null,
        parameters: body.parameters ?? {},
      };
      const problem = problemOfFault(order);
      if (problem !== undefined) throw invalid(...problem);
      return { data: faultView(await simulator().add(tx, order)) };
    },
  );

  api.delete(
    "/simulator/faults/:id",
    {
      id: "removeFault",
      tag,
      summary: "Remove a fault",
      description: "It ends at once.",
      scope: "operator",
      params: Type.Object({
        id: Type.String({ pattern: "^[1-9][0-9]{0,14}$", description: "The number of the fault." }),
      }),
      answer: field.nothing,
      example: { answer: { data: {} } },
      errors: ["unknown-object"],
    },
    async ({ tx, params }) => {
      if (await simulator().remove(tx, Number(params.id))) return { data: {} };
      throw new RentalError("unknown-object", { what: "fault", ids: [params.id] });
    },
  );

  api.delete(
    "/simulator/faults",
    {
      id: "removeAllFaults",
      tag,
      summary: "Remove all faults",
      description: "They end at once. A host that has failed stays so until it is revived.",
      scope: "operator",
      answer: field.nothing,
      example: { answer: { data: {} } },
      errors: ["unknown-object"],
    },
    async ({ tx }) => {
      await simulator().removeAll(tx);
      return { data: {} };
    },
  );

  for (const { word, alive, summary, description } of [
    { word: "fail", alive: false, summary: "Let a simulated host fail", description: "It responds no more." },
    { word: "revive", alive: true, summary: "Revive a simulated host", description: "It responds again." },
  ] as const) {
    api.post(
      `/simulator/hosts/:name/${word}`,
      {
        id: `${word}SimulatedHost`,
        tag,
        summary,
        description: `${description} Its machines stay as they are. Safe to repeat.`,
        scope: "operator",
        params: field.NameParam,
        answer: field.nothing,
        example: { answer: { data: {} } },
        errors: ["unknown-object"],
      },
      async ({ tx, params }) => {
        if (await simulator().setAlive(tx, params.name, alive)) return { data: {} };
        throw new RentalError("unknown-object", { what: "simulated host", ids: [params.name] });
      },
    );
  }
}

function faultView(fault: StoredFault): Static<typeof ShownFault> {
  const { createdAt, ...rest } = fault;
  return { ...rest, created_at: createdAt.toISOString() };
}

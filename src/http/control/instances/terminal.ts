// Control interface: a terminal in an instance's machine, over a WebSocket: the web console's, and any program's with a token.
// What it is and costs: http/live/terminals/. It is no operation of the document, for OpenAPI has no words for a WebSocket; what
// goes over it is in docs/reference/api/terminals.md.

import { type Static, Type } from "typebox";
import * as instances from "../../../rental/instances/instance-store.ts";
import type { Api } from "../../api/operations.ts";
import { holderOf } from "../../auth/authorize.ts";
import * as field from "../fields.ts";

const count = (otherwise: number) => Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: otherwise }));

const TerminalQuery = Type.Object({
  kind: Type.Optional(Type.Enum(["shell", "console"] as const)),
  columns: count(80),
  rows: count(24),
});

const ended = "endTerminal";

/** Of an account's own instance only: operators have terminals in customers' machines by no interface. */
export function terminalRoutes(api: Api): void {
  const { terminals } = api.context;
  api.socket(
    "/instances/:id/terminal",
    {
      id: "openTerminal",
      endedAs: ended,
      tag: "Instances",
      summary: "Open a terminal",
      description: "A root shell in the instance, or its serial console.",
      scope: "write",
      params: field.IdParam,
      query: TerminalQuery,
    },
    async ({ db, service, principal, params, query, request, reply }) => {
      const instance = await instances.read(db, service, principal, params.id);
      const opening = { request, reply, principal, holder: holderOf(request), instance, order: orderOf(query) };
      await terminals.openFor(opening, { interface: "control", opened: "openTerminal", ended });
    },
  );
}

function orderOf({ kind = "shell", columns = 80, rows = 24 }: Static<typeof TerminalQuery>) {
  return { kind, columns, rows };
}

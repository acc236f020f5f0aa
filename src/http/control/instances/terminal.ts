// Control interface: a terminal in an instance's machine, over a WebSocket: for the web console and any program with a
// token. Implementation and limits: http/live/terminals/. It is not in the document, because OpenAPI cannot describe a
// WebSocket; its messages are in docs/reference/api/terminals.md.

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

/** For an account's own instance only: no interface gives operators terminals in customers' machines. */
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
      right: "rent",
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

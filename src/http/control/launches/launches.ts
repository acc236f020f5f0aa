// Control interface: an account's waiting launches. They begin with `wait` of a launch (instances/launch.ts).

import { Type } from "typebox";
import { explainWait } from "../../../rental/waiting/explain.ts";
import { cancelWait, listWaitingLaunches, readOwn } from "../../../rental/waiting/waiting-store.ts";
import type { Api } from "../../api/operations.ts";
import { byId, pageQuery } from "../../api/paging.ts";
import { accountFor, accountQuery } from "../accounts/whose.ts";
import * as field from "../fields.ts";
import { ExplainedLaunch, example, exampleExplanation, Launch, launchState, launchView } from "./view.ts";

const tag = "Launches";

export function launchListRoutes(api: Api): void {
  api.get(
    "/launches",
    {
      id: "listLaunches",
      tag,
      summary: "List waiting launches",
      description:
        "Launches of your account that wait, or waited, in order of arrival; with the operator scope, of all accounts. " +
        "One that is over is listed for 30 days, unless the operator has set others.",
      scope: ["read", "operator"],
      query: Type.Object({ ...pageQuery, ...accountQuery("launches"), state: Type.Optional(launchState()) }),
      answer: field.many(Launch),
      example: { answer: { data: [example] } },
    },
    async ({ db, principal, query, page }) => {
      const accountId = accountFor(principal, query.account_id);
      const states = query.state === undefined ? undefined : [query.state];
      const shown = await page(byId, (part) => listWaitingLaunches(db, part, { accountId, states }));
      return { data: shown.map(launchView) };
    },
  );

  api.get(
    "/launches/:id",
    {
      id: "readLaunch",
      tag,
      summary: "Read a waiting launch",
      description:
        "What it waits for, and its instances once it is placed. With the operator scope one of any account.",
      scope: ["read", "operator"],
      params: field.IdParam,
      answer: field.one(ExplainedLaunch),
      example: { answer: { data: { ...example, explanation: exampleExplanation } } },
      errors: ["unknown-object"],
    },
    async ({ db, principal, params: { id } }) => {
      const launch = await readOwn(db, { accountId: accountFor(principal, undefined) }, id);
      return { data: { ...launchView(launch), explanation: await explainWait(db, api.context.service, launch) } };
    },
  );

  api.post(
    "/launches/:id/cancel",
    {
      id: "cancelLaunch",
      tag,
      summary: "Cancel a waiting launch",
      description:
        "It waits no longer, and nothing is launched. One that is over cannot be cancelled. With the operator scope one of " +
        "any account, whose event has `by: operator` then.",
      scope: ["write", "operator"],
      namesAccount: true,
      params: field.IdParam,
      answer: field.one(Launch),
      example: {
        answer: { data: { ...example, state: "cancelled", position: null, blocked_by: null, blocked_message: null } },
      },
      errors: ["unknown-object", "conflict"],
    },
    async ({ tx, principal, params: { id } }) => ({ data: launchView(await cancelWait(tx, principal, id)) }),
  );
}

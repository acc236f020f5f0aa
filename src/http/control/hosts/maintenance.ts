// Control interface: maintenance windows of hosts. Operators schedule, change, cancel and end them; an account reads those
// of hosts with its instances, and defers them within the operator's limit. What they do: rental/maintenance/.

import { type Static, Type } from "typebox";
import { longestReason } from "../../../rental/instances/reason.ts";
import { deferWindow } from "../../../rental/maintenance/defer.ts";
import { changeWindow, removeWindow, scheduleWindows } from "../../../rental/maintenance/schedule.ts";
import { listWindows, readWindow, type WindowFilter } from "../../../rental/maintenance/window-store.ts";
import type { Principal } from "../../../rental/service.ts";
import { mostHostsAtOnce, windowLimits } from "../../../rules/maintenance.ts";
import * as limit from "../../api/documented-limits.ts";
import type { Api } from "../../api/operations.ts";
import { byId, pageQuery } from "../../api/paging.ts";
import { givenMoment, parseMoment } from "../../api/timestamps.ts";
import { HttpError } from "../../errors/api-error.ts";
import { accountFor, accountQuery, uuidAsked } from "../accounts/whose.ts";
import * as field from "../fields.ts";
import { examples, maintenanceMode, phase, ShownWindow, windowFor } from "./maintenance-view.ts";

const tag = "Maintenance";
const days = (seconds: number) => `${seconds / 86_400} days`;
const step = `${windowLimits.deferStep / 60} minutes`;
const notice = `${windowLimits.deferNotice / 60} minutes`;

const reason = () =>
  Type.String({
    minLength: 1,
    maxLength: longestReason,
    description: `Reason in one line of up to ${longestReason} characters. Accounts with instances on the host read it.`,
    examples: ["New firmware of the GPUs"],
  });

const latest = (text: string) => field.orNull(givenMoment("The latest begin that accounts can choose."), text);

const Schedule = Type.Object({
  host: Type.Optional(Type.String({ ...limit.name, description: "The host. Either this or `selector`." })),
  selector: Type.Optional(
    Type.String({
      ...limit.tagFilter,
      description: `All hosts with these labels, up to ${mostHostsAtOnce}, except lost ones: \`key=value\` or \`key\`, separated by commas.`,
      examples: ["rack=r12"],
    }),
  ),
  from: givenMoment("When it begins: now, or up to a year ahead."),
  to: givenMoment(`When it ends, up to ${days(windowLimits.longest)} later.`),
  reason: reason(),
  mode: maintenanceMode(),
  deferrable_until: Type.Optional(latest("The latest begin that accounts can choose. Default: null, which is none.")),
});

const revision = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 2_147_483_647,
    description: "The revision that you have read. The request is rejected with 409 if the window has changed since.",
  }),
);

const Change = Type.Object({
  from: Type.Optional(givenMoment("When it begins.")),
  to: Type.Optional(givenMoment("When it ends.")),
  reason: Type.Optional(reason()),
  mode: Type.Optional(maintenanceMode()),
  deferrable_until: Type.Optional(latest("The latest begin that accounts can choose; null: none.")),
  revision,
});

const WindowQuery = Type.Object({
  ...pageQuery,
  ...accountQuery("windows of hosts with instances"),
  host: Type.Optional(
    Type.String({ ...limit.name, description: "Only windows of the host of this name. Requires the operator scope." }),
  ),
  group_id: Type.Optional(
    Type.String({ ...limit.uuid, description: "Only windows of this request. Requires the operator scope." }),
  ),
  phase: Type.Optional(phase()),
  from: Type.Optional(givenMoment("Only windows that end after this time.")),
  to: Type.Optional(givenMoment("Only windows that begin before this time.")),
});

export function maintenanceRoutes(api: Api): void {
  api.get(
    "/maintenance-windows",
    {
      id: "listMaintenance",
      tag,
      summary: "List maintenance windows",
      description:
        "Those of hosts with your instances, past ones too; with the operator scope those of all hosts. In the order in " +
        "which they were scheduled.",
      scope: ["read", "operator"],
      query: WindowQuery,
      answer: field.many(ShownWindow),
      example: { answer: { data: [examples.forOperators] } },
    },
    async ({ db, principal, query, page }) => {
      const filter = filterOf(principal, query);
      const windows = await page(byId, (part) => listWindows(db, { ...part, ...filter }));
      return { data: windows.map((window) => windowFor(principal, window)) };
    },
  );

  api.get(
    "/maintenance-windows/:id",
    {
      id: "getMaintenance",
      tag,
      summary: "Read a maintenance window",
      description: "One window of a host with your instances; with the operator scope any window.",
      scope: ["read", "operator"],
      params: field.IdParam,
      answer: field.one(ShownWindow),
      example: { answer: { data: examples.forOperators } },
      errors: ["unknown-object"],
    },
    async ({ db, principal, params }) => ({
      data: windowFor(principal, await readWindow(db, params.id, accountFor(principal, undefined))),
    }),
  );

  api.post(
    "/maintenance-windows",
    {
      id: "scheduleMaintenance",
      tag,
      summary: "Schedule maintenance",
      description:
        "Creates a window of the host, or of each host that the selector finds, all or none. Accounts with instances " +
        "there get the event `maintenance.scheduled`. Rejected with 409 if a window of a host overlaps.",
      scope: "operator",
      body: Schedule,
      answer: field.many(ShownWindow),
      example: {
        request: {
          host: "us-east-1-h100-01",
          from: "2026-03-07T02:00:00.000Z",
          to: "2026-03-07T06:00:00.000Z",
          reason: "New firmware of the GPUs",
          mode: "stop",
          deferrable_until: "2026-03-09T02:00:00.000Z",
        },
        answer: { data: [examples.forOperators] },
      },
      errors: ["unknown-name", "conflict"],
      statesReason: true,
    },
    async ({ tx, service, principal, body }) => {
      const order = {
        host: body.host,
        selector: body.selector,
        beginsAt: parseMoment("from", body.from),
        endsAt: parseMoment("to", body.to),
        reason: body.reason,
        mode: body.mode,
        deferrableUntil: latestFrom(body.deferrable_until) ?? null,
      };
      const [first] = await scheduleWindows(tx, order, principal.accountId, service);
      const windows = await listWindows(tx, { groupId: first?.groupId });
      return { data: windows.map((window) => windowFor(principal, window)) };
    },
  );

  api.patch(
    "/maintenance-windows/:id",
    {
      id: "changeMaintenance",
      tag,
      summary: "Change a maintenance window",
      description:
        "Omitted fields stay unchanged. Once it has begun, only `to` can change. Accounts with instances on the host get " +
        "the event `maintenance.scheduled` with what holds now.",
      scope: "operator",
      params: field.IdParam,
      body: Change,
      answer: field.one(ShownWindow),
      example: { request: { to: "2026-03-07T06:00:00.000Z", revision: 1 }, answer: { data: examples.forOperators } },
      errors: ["unknown-object", "conflict"],
      statesReason: true,
    },
    async ({ tx, service, principal, params, body }) => {
      const change = {
        beginsAt: body.from === undefined ? undefined : parseMoment("from", body.from),
        endsAt: body.to === undefined ? undefined : parseMoment("to", body.to),
        reason: body.reason,
        mode: body.mode,
        deferrableUntil: latestFrom(body.deferrable_until),
        revision: body.revision,
      };
      const { id } = await changeWindow(tx, params.id, change, service);
      return { data: windowFor(principal, await readWindow(tx, id)) };
    },
  );

  api.delete(
    "/maintenance-windows/:id",
    {
      id: "deleteMaintenance",
      tag,
      summary: "Cancel or end a maintenance window",
      description:
        "Cancels a window that has not begun, and ends one that has: its host returns to the state it had before, and the " +
        "instances that were stopped for it start again. Accounts with instances there get the event `maintenance.ended`. " +
        "The window stays readable.",
      scope: "operator",
      params: field.IdParam,
      query: Type.Object({ revision }),
      answer: field.one(ShownWindow),
      example: {
        answer: { data: { ...examples.forOperators, phase: "canceled", ended_at: "2026-03-02T09:30:00.000Z" } },
      },
      errors: ["unknown-object", "conflict"],
    },
    async ({ tx, principal, params, query }) => {
      const { id } = await removeWindow(tx, params.id, query.revision);
      return { data: windowFor(principal, await readWindow(tx, id)) };
    },
  );

  api.post(
    "/maintenance-windows/:id/defer",
    {
      id: "deferMaintenance",
      tag,
      summary: "Defer a maintenance window",
      description:
        `Moves a window of a host with your instances to a later time, with its length: by at least ${step}, at the latest ` +
        `to \`deferrable_until\`, and until ${notice} before it begins. It moves for everyone on that host, and all accounts ` +
        "with instances there get the event `maintenance.scheduled`.",
      params: field.IdParam,
      body: Type.Object({
        until: Type.Optional(givenMoment("When it begins then. Default: `deferrable_until` of the window.")),
      }),
      bodyOptional: true,
      answer: field.one(ShownWindow),
      example: { request: { until: "2026-03-09T02:00:00.000Z" }, answer: { data: examples.deferred } },
      errors: ["unknown-object", "conflict"],
    },
    async ({ tx, service, principal, params, body }) => {
      const until = body.until === undefined ? undefined : parseMoment("until", body.until);
      const deferred = await deferWindow(tx, principal.accountId, params.id, until, service);
      return { data: windowFor(principal, deferred) };
    },
  );
}

/** Throws HttpError forbidden, because a host's windows would tell an account on which host its instances are. */
function filterOf(principal: Principal, query: Static<typeof WindowQuery>): WindowFilter {
  const isOfOperators = query.host !== undefined || query.group_id !== undefined;
  if (isOfOperators && !principal.scopes.has("operator")) throw new HttpError("forbidden", { scope: "operator" });
  return {
    accountId: accountFor(principal, query.account_id),
    host: query.host,
    groupId: uuidAsked("group_id", "a request's windows", query.group_id),
    phase: query.phase,
    from: query.from === undefined ? undefined : parseMoment("from", query.from),
    to: query.to === undefined ? undefined : parseMoment("to", query.to),
  };
}

function latestFrom(given: string | null | undefined): Date | null | undefined {
  return typeof given === "string" ? parseMoment("deferrable_until", given) : given;
}

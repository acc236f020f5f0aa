// Control interface: a customer reports that GPUs of an instance are faulty. What it does: rental/gpus/fault-reports.ts.

import { Type } from "typebox";
import { reportFault } from "../../../rental/gpus/fault-reports.ts";
import { longestReason } from "../../../rental/instances/reason.ts";
import type { Api } from "../../api/operations.ts";
import * as field from "../fields.ts";
import * as view from "./view.ts";

const Report = Type.Object(
  {
    text: Type.String({
      minLength: 1,
      maxLength: longestReason,
      description: `What is wrong, in one line of up to ${longestReason} characters. Your provider reads it.`,
      examples: ["Falls off the bus under load (XID 79)"],
    }),
    gpu: Type.Optional(
      field.whole(0, 63, "The GPU, counted from 0 as the driver in the guest does. Default: all of the instance."),
    ),
  },
  { title: "FaultReport" },
);

const ShownReport = Type.Object(
  {
    instance_id: field.uuid(),
    reported_at: field.timestamp(),
    gpus: Type.Integer({ description: "How many of its GPUs leave service when the instance ends." }),
    credited_seconds: Type.Integer({ description: "Seconds of its bill that this report credited." }),
  },
  { title: "ReportedFault" },
);

export function reportFaultRoutes(api: Api): void {
  api.post(
    "/instances/:id/report-fault",
    {
      id: "reportFault",
      tag: "Instances",
      summary: "Report a faulty GPU",
      description:
        "The GPUs of the instance, or one of them, leave service when it ends, and your provider checks them before " +
        "another customer gets them. The instance itself goes on: launch another one with `like`, then terminate it. The " +
        "provider may credit the last minutes of its bill, once for each instance. Safe to repeat.",
      params: field.IdParam,
      body: Report,
      answer: field.one(ShownReport),
      example: {
        request: { text: "Falls off the bus under load (XID 79)", gpu: 0 },
        answer: {
          data: {
            instance_id: view.examples.forAccount.id,
            reported_at: "2026-03-01T12:00:00.000Z",
            gpus: 1,
            credited_seconds: 3600,
          },
        },
      },
      errors: ["unknown-object", "conflict", "quota-exceeded"],
    },
    async ({ tx, service, principal, params: { id }, body: { text, gpu } }) => {
      const report = await reportFault(tx, service, principal, { id, text, gpu });
      return {
        data: {
          instance_id: report.instanceId,
          reported_at: report.reportedAt.toISOString(),
          gpus: report.gpus,
          credited_seconds: report.creditedSeconds,
        },
      };
    },
  );
}

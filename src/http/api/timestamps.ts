// Timestamps in bodies and queries, as rules/timestamps.ts reads them. Used by the control interface and the lambda edition.

import { Type } from "typebox";
import { invalid } from "../../rental/errors.ts";
import { timestampFrom } from "../../rules/timestamps.ts";
import * as limit from "./documented-limits.ts";

/** The schema of a timestamp in a body; `parseMoment` validates it. */
export const givenMoment = (text: string) =>
  Type.String({
    ...limit.timestamp,
    description: `${text} ISO 8601 with time and offset.`,
    examples: ["2099-12-31T23:59:59.000Z"],
  });

/** Throws RentalError invalid-parameters for the field. */
export function parseMoment(field: string, text: string): Date {
  const moment = timestampFrom(text);
  if (moment === undefined)
    throw invalid(field, "Must be an ISO 8601 timestamp from 1970 to 9999, such as 2099-12-31T23:59:59.000Z.");
  return moment;
}

// Timestamps in bodies and queries: ISO 8601 with date, time and offset, and nothing that JavaScript would guess or
// move to another day. Used by the control interface and the lambda edition.

import { Type } from "typebox";
import { invalid } from "../../rental/errors.ts";
import * as limit from "./documented-limits.ts";

const shape = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** The schema of a timestamp in a body; `parseMoment` validates it. */
export const givenMoment = (text: string) =>
  Type.String({
    ...limit.timestamp,
    description: `${text} ISO 8601 with time and offset.`,
    examples: ["2099-12-31T23:59:59.000Z"],
  });

/** Throws RentalError invalid-parameters for the field. */
export function parseMoment(field: string, text: string): Date {
  const [year, month, day, hour, minute, second] = (shape.exec(text) ?? []).slice(1).map(Number);
  const moment = new Date(text);
  // Date reads 30 February as 2 March, so the day is compared with the last day of the month.
  const lastDay = new Date(Date.UTC(year ?? 0, month ?? 0, 0)).getUTCDate();
  const real =
    year !== undefined && (day ?? 0) <= lastDay && (hour ?? 99) < 24 && (minute ?? 99) < 60 && (second ?? 99) < 60;
  const utcYear = moment.getUTCFullYear();
  if (!real || Number.isNaN(utcYear) || utcYear < 1970 || utcYear > 9999) {
    throw invalid(field, "Must be an ISO 8601 timestamp from 1970 to 9999, such as 2099-12-31T23:59:59.000Z.");
  }
  return moment;
}

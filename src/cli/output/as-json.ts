// Responses of lists that can be CSV. Used by commands that have --csv.

/** The service responds with text only for CSV. */
export function asJson<T extends object>(answer: T | string): T {
  if (typeof answer === "string") throw new Error("BUG: CSV that was not requested");
  return answer;
}

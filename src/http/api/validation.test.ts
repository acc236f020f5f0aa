// What is said of a nullable object whose fields are wrong.

import { Type } from "typebox";
import { describe, expect, it } from "vitest";
import { RentalError } from "../../rental/errors.ts";
import { validatorCompiler } from "./validation.ts";

const rule = Type.Object({ minutes: Type.Integer({ minimum: 5 }), action: Type.Optional(Type.String()) });
const schema = Type.Object({ rule: Type.Union([rule, Type.Null()]) });

function problems(body: unknown): Record<string, string> {
  const result = validatorCompiler({ schema, method: "POST", url: "/", httpPart: "body" })(body);
  const error = typeof result === "object" && "error" in result ? result.error : undefined;
  if (!isInvalid(error)) return {};
  return Object.fromEntries(Object.entries(error.details.fields).map(([name, { message }]) => [name, message]));
}

function isInvalid(error: unknown): error is RentalError<"invalid-parameters"> {
  return error instanceof RentalError && error.kind === "invalid-parameters";
}

describe("a nullable object", () => {
  it("is told only what is wrong inside it", () => {
    expect(problems({ rule: { minutes: 1 } })).toEqual({ "rule.minutes": "Must be at least 5." });
    expect(problems({ rule: {} })).toEqual({ "rule.minutes": "Is required." });
    expect(problems({ rule: { minutes: "1", action: 2 } })).toEqual({
      "rule.minutes": "Must be an integer.",
      "rule.action": "Must be a string.",
    });
  });

  it("is told to be an object where it is none, and may be null", () => {
    expect(problems({ rule: 5 })).toEqual({ rule: "Must be a JSON object." });
    expect(problems({ rule: null })).toEqual({});
  });
});

// Where a form shows the errors of the service.

import { expect, it } from "vitest";
import { LessorError } from "../../../src/client/client.ts";
import { inputOf, unplacedError } from "./form-dialog.tsx";

const values = { name: "", region: null, instance_types: ["a"], quotas: { gpus: 1 }, rules: [{ port_range: "22" }] };

it.each([
  ["name", "name"],
  ["region", "region"],
  ["quotas.gpus", "quotas.gpus"],
  ["instance_types[0]", "instance_types"],
  ["instance_types.0", "instance_types"],
  ["rules[0].port_range[1]", "rules.0.port_range"],
])("%s is shown at the input %s", (field, input) => expect(inputOf(field, values)).toBe(input));

it.each(["other", "quotas", "rules", "rules[1].port_range", "rules[0].source_network"])("%s has no input", (field) =>
  expect(inputOf(field, values)).toBeUndefined(),
);

it("an error that no input shows is shown for the form", () => {
  const rejected = (...fields: string[]) =>
    new LessorError(400, {
      error: { code: "global/invalid-parameters", message: "Invalid.", suggestion: "Fix it.", request_id: "1" },
      field_errors: Object.fromEntries(fields.map((field) => [field, { code: "x", message: "Is required." }])),
    });
  for (const shown of [rejected("name"), rejected("name", "rules[0].port_range"), null])
    expect(unplacedError(shown, values)).toBeNull();
  for (const error of [rejected(), rejected("name", "other"), new TypeError("fetch failed")])
    expect(unplacedError(error, values)).toBe(error);
  expect(unplacedError(rejected("gpus[3].model"), values, "gpus")).toBeNull();
});

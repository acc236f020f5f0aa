// The name of an operation as words.

import { expect, it } from "vitest";
import { operationWords } from "./audit-table.tsx";

it("is read from how it is written", () => {
  expect(operationWords("launchInstances")).toBe("Launch instances");
  expect(operationWords("rotateWebhookSecret")).toBe("Rotate webhook secret");
  expect(operationWords("addSshKey")).toBe("Add SSH key");
  expect(operationWords("stop")).toBe("Stop");
  expect(operationWords("")).toBe("");
});

import { expect, it } from "vitest";
import { messageIn } from "./messages.ts";

it.each<[string, object | string, string]>([
  ["Keystone", { error: { code: 401, message: "No.", title: "Unauthorized" } }, "No."],
  ["Nova", { forbidden: { code: 403, message: "Quota exceeded for cores" } }, "Quota exceeded for cores"],
  ["Neutron", { NeutronError: { type: "PortNotFound", message: "No port.", detail: "" } }, "No port."],
  ["Placement", { errors: [{ status: 404, title: "Not Found", detail: "Gone.\n\n  Really. " }] }, "Gone. Really."],
  ["Glance", { message: "No image<br /><br />\n", code: "404 Not Found", title: "Not Found" }, "No image"],
  ["Glance in HTML", "<html><head><title>x</title></head><body><h1>404</h1>No image</body></html>", "404 No image"],
  ["a proxy", "upstream timed out", "upstream timed out"],
  ["nothing", "", ""],
  ["another document", { a: 1, b: [null, { c: "x" }] }, ""],
])("the message in an error of %s is found", (_, body, message) => {
  expect(messageIn(typeof body === "string" ? body : JSON.stringify(body))).toBe(message);
});

it.each(["<head", "<", "<style></head>", "<head></style>", " \n"])(
  "is found soon in a million characters of %j",
  (part) => {
    const began = performance.now();
    messageIn(part.repeat(1_000_000 / part.length));
    messageIn(JSON.stringify({ error: { message: part.repeat(1_000_000 / part.length) } }));
    expect(performance.now() - began).toBeLessThan(5000);
  },
);

// Codes of errors of the lambda edition: those that the public document of its API (1.10) has for the operation, which
// clients generated from it decode, and no others. Suggestions name the place where people find what they need.

import { afterAll, beforeAll, expect, it } from "vitest";
import { errorKinds } from "../../src/http/errors/documentation.ts";
import { codeOf } from "../../src/http/errors/response.ts";
import { type ErrorTable, errors } from "../../src/http/errors/table.ts";
import { call } from "../support/http.ts";
import { type RunningServer, startServer } from "../support/server.ts";
import { examplePublicKey } from "../support/world.ts";

const nobody = "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d";
let server: RunningServer;
let token: string;

beforeAll(async () => {
  server = await startServer();
  const put = async (path: string, body: object) => {
    const { status, text } = await call("PUT", `${server.control}${path}`, { token: server.operatorToken, body });
    expect(status, text).toBe(200);
  };
  const size = { vcpus: 2, memory_gib: 4, storage_gb: 10 };
  await put("/images/ubuntu", { number: 1 });
  await put("/instance-types/cpu_2x", { gpu_model: null, gpus: 0, ...size, price_cents_per_hour: 5 });
  for (const region of ["us-east-1", "us-west-1"]) {
    await put(`/regions/${region}`, { description: region });
    await put(`/hosts/${region}`, { engine: "simulated", region, vcpus: 8, memory_gib: 16, storage_gb: 40, gpus: [] });
  }
  token = await server.customerToken("ada");
  await ask("POST", "/ssh-keys", { name: "laptop", public_key: examplePublicKey });
  await ask("POST", "/file-systems", { name: "data", region: "us-east-1" });
});
afterAll(() => server?.close());

async function ask(method: string, path: string, body?: unknown) {
  const { status, body: answer } = await call(method, `${server.lambda}${path}`, { token, body });
  const { error, data } = (answer ?? {}) as { error?: { code: string; suggestion: string }; data?: unknown };
  return { status, code: error?.code, suggestion: error?.suggestion ?? "", data };
}
const launch = (more: object) =>
  ask("POST", "/instance-operations/launch", { region_name: "us-east-1", instance_type_name: "cpu_2x", ...more });

const unknownRegion = { name: "more", region: "mars", rules: [] };
const invalid = "global/invalid-parameters";
const unknown = "global/object-does-not-exist";

it.each([
  ["POST", "/ssh-keys", { name: "laptop" }, 400, invalid, "name"],
  ["DELETE", `/ssh-keys/${nobody}`, undefined, 404, "global/not-found", "GET /ssh-keys"],
  ["POST", "/filesystems", unknownRegion, 400, invalid, "GET /regions"],
  ["POST", "/firewall-rulesets", unknownRegion, 400, invalid, "GET /regions"],
  ["GET", "/instances?region=mars", undefined, 400, invalid, "GET /regions"],
  ["GET", `/instances/${nobody}`, undefined, 404, unknown, "GET /instances"],
  ["POST", "/instance-operations/restart", { instance_ids: [nobody] }, 404, unknown, "GET /instances"],
])("%s %s of what is taken or unknown has the code of its operation, and names the place", async (...row) => {
  const [method, path, body, status, code, place] = row;
  const answer = await ask(method, path, body);
  expect([answer.status, answer.code]).toEqual([status, code]);
  expect(answer.suggestion).toContain(place);
});

const wrongRegion = "instance-operations/launch/file-system-in-wrong-region";
it.each([
  ["an unknown region", { region_name: "mars" }, unknown, "GET /regions"],
  ["an unknown type", { instance_type_name: "gpu_9x" }, unknown, "GET /instance-types"],
  ["an unknown image", { image: { id: nobody } }, unknown, "GET /images"],
  ["an unknown image family", { image: { family: "none" } }, unknown, "GET /images"],
  ["an unknown key", { ssh_key_names: ["none"] }, unknown, "GET /ssh-keys"],
  ["an unknown file system", { file_system_names: ["none"] }, unknown, "GET /file-systems"],
  ["a file system elsewhere", { region_name: "us-west-1", file_system_names: ["data"] }, wrongRegion, "us-east-1"],
])("a launch with %s has a code that launches have, and names the place", async (_, more, code, place) => {
  const answer = await launch(more);
  expect([answer.status, answer.code]).toEqual([400, code]);
  expect(answer.suggestion).toContain(place);
});

it("a launch with a file system that only one instance can have is a wrong value", async () => {
  await server.db.updateTable("hosts").set({ multi_attach: false }).execute();
  expect((await launch({ file_system_names: ["data"] })).status).toBe(200);
  expect(await launch({ file_system_names: ["data"] })).toMatchObject({ status: 400, code: invalid });
});

it("a launch with an empty name gives the default one", async () => {
  const { data } = await launch({ name: "" });
  const [id] = (data as { instance_ids: string[] }).instance_ids;
  const { data: shown } = await ask("GET", `/instances/${id}`);
  expect(shown).toMatchObject({ name: expect.stringMatching(/^cpu_2x-[0-9a-f]{8}$/) });
});

/** The codes that the document has. */
const documented = [
  "filesystems/filesystem-in-use",
  "firewall-rulesets/firewall-ruleset-in-use",
  "global/account-inactive",
  "global/duplicate",
  "global/forbidden",
  "global/internal-error",
  "global/invalid-api-key",
  invalid,
  "global/not-found",
  unknown,
  "global/quota-exceeded",
  wrongRegion,
  "instance-operations/launch/insufficient-capacity",
];
/** Of what it does not describe: requests that no operation gets to see, and headers and calls that it does not have. */
const beside = [
  "global/headers-too-large",
  "global/machine-unreachable",
  "global/method-not-allowed",
  "global/payload-too-large",
  "global/rate-limited",
  "global/request-timeout",
  "global/unavailable",
  "idempotency/in-progress",
  "idempotency/key-reused",
  "instance-operations/stop/instance-terminated",
];

it("every kind of error has a code of the document, or is of what it does not describe", () => {
  const table: ErrorTable = errors;
  const codes = new Set(errorKinds.map((kind) => codeOf(table[kind], "lambda")));
  expect([...codes].toSorted()).toEqual([...documented, ...beside].toSorted());
});

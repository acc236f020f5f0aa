import { describe, expect, it } from "vitest";
import { type ErrorDetails, type ErrorKind, HttpError } from "./api-error.ts";
import { rawAnswer } from "./connection.ts";
import { errorKinds, errorsAsMarkdown } from "./documentation.ts";
import { responseFor } from "./response.ts";
import { type ErrorTable, errors, type StatusColumn } from "./table.ts";

const table: ErrorTable = errors;

function exampleAnswer<K extends ErrorKind>(kind: K, column: StatusColumn) {
  const rows: { readonly [P in ErrorKind]: { readonly example: ErrorDetails[P] } } = errors;
  return responseFor(kind, rows[kind].example, column, "id");
}

describe.each(errorKinds)("%s", (kind) => {
  it("has a code, a status that HTTP knows, and whole sentences", () => {
    for (const column of ["reference", "lambda", "otherwise"] as const) {
      const { status, body } = exampleAnswer(kind, column);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(body.error.code).toMatch(
        /^(global|idempotency|filesystems|firewall-rulesets|instance-operations\/[a-z]+)\/[a-z-]+$/,
      );
      expect(body.error.message).not.toMatch(/undefined|\[object/);
      expect(body.error.suggestion).toMatch(/^[A-Z].*\.$/);
      expect(body.error.request_id).toBe("id");
    }
  });
});

describe("variant R and its lambda edition", () => {
  const documented = [400, 401, 403, 404, 500];
  const ofHttpItself = [405, 408, 409, 413, 422, 429, 431, 503];

  it("has only the statuses it documents, and those of HTTP itself", () => {
    expect(
      errorKinds.filter((kind) => ![...documented, ...ofHttpItself].includes(table[kind].status.reference)),
    ).toEqual([]);
  });

  it.each([
    ["insufficient-capacity", 400, 409],
    ["instance-not-stopped", 400, 409],
    ["instance-terminated", 400, 409],
    ["duplicate", 400, 409],
    ["conflict", 400, 409],
    ["quota-exceeded", 400, 403],
    ["spend-limit-exceeded", 400, 402],
    ["unknown-object", 404, 404],
    ["unknown-name", 400, 400],
  ] as const)("answers %s with %i where the others have %i", (kind, reference, otherwise) => {
    expect(table[kind].status).toEqual({ reference, lambda: reference, otherwise });
  });

  it("differ for an unknown SSH key, for which R documents no 404", () => {
    expect(table["unknown-ssh-key"].status).toEqual({ reference: 400, lambda: 404, otherwise: 404 });
  });
});

describe("the words", () => {
  it("of what is bounded say what helps there: a provider raises only what is the account's", () => {
    const suggestion = (what: string) => errors["quota-exceeded"].suggestion({ what, limit: 1, used: 1, requested: 1 });
    expect(suggestion("gpus")).toMatch(/^Free some GPUs,.*raise the quota/);
    expect(errors["quota-exceeded"].message({ what: "gpu_fault_reports", limit: 5, used: 5, requested: 1 })).toMatch(
      /^The quota of 5 GPU fault reports/,
    );
    expect(suggestion("webhooks")).toMatch(/^Delete a webhook,.*raise the quota/);
    expect(suggestion("event_streams")).toMatch(/^Close an open stream/);
    expect(suggestion("tests_and_resends_under_way")).toMatch(/^Wait/);
    for (const fixed of ["event_streams", "tests_and_resends_under_way"]) {
      expect(suggestion(fixed)).not.toMatch(/raise|provider/);
    }
  });

  it("of no capacity name the type, and lead to the regions that have some", () => {
    const { body } = exampleAnswer("insufficient-capacity", "otherwise");
    expect(body.error.message).toMatch(/not enough capacity.*gpu_8x_h100/);
    expect(body.error.suggestion).toContain("us-east-1");
  });

  it("of no capacity recommend only regions in which all of it fits; where there are none, they count", () => {
    const suggestion = (...fits: [string, number][]) =>
      errors["insufficient-capacity"].suggestion({
        ...table["insufficient-capacity"].example,
        quantity: 3,
        regionsWithCapacity: fits.map(([region, times]) => ({ region, fits: times })),
      });
    expect(suggestion(["us-east-1", 2], ["us-west-1", 3])).toBe("These regions have capacity: us-west-1.");
    expect(suggestion(["us-east-1", 2], ["us-west-1", 2])).toContain("us-east-1 (2), us-west-1 (2)");
    expect(suggestion()).toMatch(/^No region has capacity/);
  });

  it("of no capacity for a reservation say that launches wait for it, if that is why", () => {
    const message = (isWaitedFor: boolean) =>
      errors["insufficient-capacity"].message({
        ...table["insufficient-capacity"].example,
        reservation: { from: "2026-03-09T08:00:00.000Z", to: "2026-03-10T08:00:00.000Z", isWaitedFor },
      });
    expect(message(true)).toContain("because launches that wait come first");
    expect(message(false)).not.toContain("wait");
  });

  it("of no capacity where a file system is lead to its host, and not to regions where it is not", () => {
    const bound = { fileSystem: "data", host: "h7" };
    const details = { ...table["insufficient-capacity"].example, bound };
    const { body } = responseFor("insufficient-capacity", details, "otherwise", "id");
    expect(body.error.message).toMatch(/not enough capacity/);
    expect(body.error.suggestion).toMatch(/data is on a single host/);
    expect(body.error.suggestion).not.toContain("us-east-1");
  });

  it("of an unsupported image are the ones that clients look for", () => {
    expect(exampleAnswer("image-not-supported", "otherwise").body.error.message).toBe(
      "Product does not support the VM Image",
    );
  });

  it("never repeat at length what a client wrote", () => {
    const { body } = responseFor("unknown-object", { what: "instance", ids: ["x".repeat(5000)] }, "otherwise", "id");
    expect(body.error.message.length).toBeLessThan(200);
  });

  it("list a few of many identifiers", () => {
    const ids = Array.from({ length: 1000 }, (_, index) => `no-${index}`);
    const { body } = responseFor("unknown-object", { what: "instance", ids }, "otherwise", "id");
    expect(body.error.message).toMatch(/ "no-0", .*"no-9" … and 990 more\.$/);
    expect(
      responseFor("unknown-object", { what: "instance", ids: ids.slice(0, 10) }, "otherwise", "id").body.error.message,
    ).toMatch(/"no-9"\.$/);
  });

  it("of an unknown name name no list where no interface is asked", () => {
    expect(exampleAnswer("unknown-name", "otherwise").body.error.suggestion).toBe("Check the name.");
  });

  it("have field_errors only where there are some", () => {
    expect(exampleAnswer("invalid-api-key", "otherwise").body).not.toHaveProperty("field_errors");
    expect(exampleAnswer("duplicate", "otherwise").body.field_errors).toEqual({
      name: { code: "global/duplicate", message: "Key name must be unique" },
    });
  });
});

describe("the documentation", () => {
  it("has a row for every kind", () => {
    expect(errorsAsMarkdown().split("\n")).toHaveLength(errorKinds.length + 2);
  });
});

describe("an answer written by hand", () => {
  it("is whole HTTP", () => {
    const [head = "", body = ""] = rawAnswer(new HttpError("headers-too-large", {}), "id").split("\r\n\r\n");
    expect(head).toMatch(/^HTTP\/1.1 431 Request Header Fields Too Large\r\n/);
    expect(head).toContain(`content-length: ${body.length}`);
    expect(JSON.parse(body)).toMatchObject({ error: { request_id: "id" } });
  });
});

import { describe, expect, it } from "vitest";
import { catalogCalls } from "./catalog-file.ts";
import { refuseUnknownFields } from "./known-fields.ts";

const put = (schema: object) => ({ put: { requestBody: { content: { "application/json": { schema } } } } });
const document = {
  paths: {
    "/hosts": { get: {} },
    "/hosts/{name}": put({ $ref: "#/components/schemas/Host" }),
    "/coupons/{code}": put({ type: "object", properties: { active: { type: "boolean" } } }),
  },
  components: {
    schemas: {
      Host: {
        type: "object",
        properties: { vcpus: {}, gpus: { type: "array", items: { $ref: "#/components/schemas/Gpu" } } },
      },
      Gpu: { type: "object", properties: { address: {}, model: {}, memory_gib: {}, numa_node: {} } },
    },
  },
};
const check = (yaml: string) => () => refuseUnknownFields(catalogCalls(yaml), document);

describe("a field that the service does not know", () => {
  it.each([
    ["hosts: {a: {vcpu: 1}}", 'host a: unknown field "vcpu". Did you mean "vcpus"?'],
    ["coupons: {A: {activ: true}}", 'coupon A: unknown field "activ". Did you mean "active"?'],
    ["hosts: {a: {toString: 1}}", 'host a: unknown field "toString". Known fields: vcpus, gpus.'],
    ["hosts: {a: {gpus: [{}, {modle: x}]}}", 'host a: unknown field "gpus.1.modle". Did you mean "model"?'],
    ["hosts: {a: {gpus: {count: 1, modle: x}}}", 'host a: unknown field "gpus.0.modle". Did you mean "model"?'],
  ])("is refused in %s", (yaml, message) => {
    expect(check(yaml)).toThrow(expect.objectContaining({ name: "CommandError", message }));
  });
});

describe("what is let through for the service to judge", () => {
  it.each([
    "hosts: {a: {vcpus: many, gpus: {count: 2, model: m, memory_gib: 48}}}",
    "hosts: {a: {gpus: none}}",
    "coupons: {A: {}}",
    "regions: {a: {anything: 1}}", // a service without that PUT
  ])("%s", (yaml) => {
    expect(check(yaml)).not.toThrow();
  });
});

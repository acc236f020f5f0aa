import { describe, expect, it } from "vitest";
import { bodyOf, contentsOf, schemaOf } from "./contents.ts";

const bodies = {
  "a list": {
    data: [
      { id: "a", price: 1, ip: null },
      { id: "b", price: 2, ip: "192.0.2.1" },
    ],
  },
  "one object": { data: { id: "a", region: { name: "north" } } },
  "objects by key": { data: { small: { gpus: 1, regions: ["north"] }, large: { gpus: 8, regions: [] } } },
};

describe("what the usual service answers", () => {
  it.each(Object.entries(bodies))("is put together again from rows: %s", (_, body) => {
    const contents = contentsOf(body);
    expect(bodyOf(contents, contents.rows)).toEqual(body);
  });

  it("has a column for each key of a row", () => {
    expect(contentsOf(bodies["a list"]).columns).toEqual(["id", "price", "ip"]);
  });

  it("has a schema that names every property", () => {
    expect(schemaOf({ data: [{ id: "a", price: 1.5, tags: ["x"] }] })).toEqual({
      type: "object",
      properties: {
        data: {
          type: "array",
          items: {
            type: "object",
            properties: {
              id: { type: "string", nullable: true },
              price: { type: "number", nullable: true },
              tags: { type: "array", items: { type: "string", nullable: true } },
            },
          },
        },
      },
    });
  });
});

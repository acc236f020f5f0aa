// What the objects of an audit entry are called.

import { expect, it } from "vitest";
import { type NamedObject, objectsOf } from "./object-names.ts";

const id = (last: string) => `019a0000-0000-7000-8000-0000${last}`;

it("ids are named where their name is known, and no name stands there twice", () => {
  const training: NamedObject = { name: "training", id: id("0000aaaa"), kind: "instance", href: "/instances/1" };
  const names = new Map([[id("0000aaaa"), training]]);
  expect(objectsOf(["training", id("0000bbbb"), "us-east-1", id("0000aaaa")], names)).toEqual([
    training,
    { name: "us-east-1", id: undefined, kind: "object" },
    { name: undefined, id: id("0000bbbb"), kind: "object" },
  ]);
});

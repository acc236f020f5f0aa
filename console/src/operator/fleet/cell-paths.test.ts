// How a host's GPUs are drawn.

import { describe, expect, it } from "vitest";
import { drawCells } from "./cell-paths.ts";
import { cellOrder } from "./cells.ts";

describe("the cells of a host", () => {
  it("have a form of their own for each state, so that nobody needs the colours", () => {
    const forms = cellOrder.map((state) => drawCells([state]).paths[0]?.outline);
    // What is free is drawn and what is held is filled: of the same form, told apart by being full.
    expect(new Set(forms).size).toBe(cellOrder.length - 1);
    expect(forms[cellOrder.indexOf("free")]).toBe(forms[cellOrder.indexOf("held")]);
  });

  it("are one path for each state, however many there are", () => {
    const { paths } = drawCells(["free", "held", "free", "free"]);
    expect(paths.map(({ state }) => state)).toEqual(["free", "held"]);
    expect(paths[0]?.outline.match(/M/g)).toHaveLength(3);
  });

  it("go on in a second row after eight", () => {
    const [eight, nine] = [drawCells(Array(8).fill("free")), drawCells(Array(9).fill("free"))];
    expect(nine.width).toBe(eight.width);
    expect(nine.height).toBeGreaterThan(eight.height);
  });

  it("take room also where there are none", () => {
    expect(drawCells([]).height).toBe(drawCells(["free"]).height);
  });
});

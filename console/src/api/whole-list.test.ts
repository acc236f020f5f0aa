// A long list is read page by page, each page shown as it comes.

import { expect, it } from "vitest";
import { LessorError } from "../../../src/client/client.ts";
import { type PageAsked, pagesOf } from "./whole-list.ts";

const link = (cursor: string) => new Response(null, { headers: { link: `</x?cursor=${cursor}>; rel="next"` } });

/** What was asked for, and the pages as they came. */
async function read(answers: readonly { readonly data: readonly number[]; readonly next?: string }[]) {
  const asked: PageAsked[] = [];
  const pages = pagesOf<number>(async (page) => {
    const { data = [], next } = answers[asked.length] ?? {};
    asked.push(page);
    return { data: { data }, response: next === undefined ? new Response() : link(next) };
  });
  const came: unknown[] = [];
  for await (const page of pages) came.push(page);
  return { pages: came, asked };
}

it("of one page takes one request, and is complete with it", async () => {
  expect(await read([{ data: [1, 2] }])).toEqual({
    asked: [{ limit: 500 }],
    pages: [{ data: [1, 2], isComplete: true }],
  });
});

it("of more is asked for by the cursor of each page, and complete with the last one", async () => {
  const { pages, asked } = await read([{ data: [1], next: "a" }, { data: [2], next: "b" }, { data: [3] }]);
  expect(asked).toEqual([{ limit: 500 }, { limit: 1000, cursor: "a" }, { limit: 1000, cursor: "b" }]);
  expect(pages).toEqual([
    { data: [1], isComplete: false },
    { data: [2], isComplete: false },
    { data: [3], isComplete: true },
  ]);
});

it("ends with the rejection of a page", async () => {
  const rejected = { error: { error: { code: "global/x", message: "No.", suggestion: "" } } };
  const pages = pagesOf(async () => ({ ...rejected, response: new Response(null, { status: 403 }) }));
  await expect(pages.next()).rejects.toThrow(LessorError);
});

// The kinds of events to choose from are those there are.

import { expect, it } from "vitest";
import { accountEventSubjects, eventSubjects } from "../../../src/rental/events/event-types.ts";
import { eventGlobs, operatorGlobs } from "./event-globs.ts";

it("there is one for each subject of an account, and no other", () => {
  expect(eventGlobs.map(({ value }) => value).sort()).toEqual(
    accountEventSubjects.map((subject) => `${subject}.*`).sort(),
  );
});

it("operators have one more for each subject of no account", () => {
  expect([...eventGlobs, ...operatorGlobs].map(({ value }) => value).sort()).toEqual(
    eventSubjects.map((subject) => `${subject}.*`).sort(),
  );
});

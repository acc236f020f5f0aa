import { expect, it } from "vitest";
import { beginFakeSite } from "./fake-site.ts";
import { recorded, transcript } from "./transcript.ts";
import { volumeTranscript } from "./transcript-volumes.ts";

it("the fake answers as the services of Zed did when their answers were recorded", async () => {
  expect(await transcript(await beginFakeSite())).toEqual(recorded("recorded.txt"));
});

it("about volumes too", async () => {
  expect(await volumeTranscript(await beginFakeSite())).toEqual(recorded("recorded-volumes.txt"));
});

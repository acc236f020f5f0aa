// The lambda edition: images. It has one for each region; every image of the catalog is in every region.

import { Type } from "typebox";
import { listImages } from "../../rental/catalog/image-store.ts";
import { listRegions } from "../../rental/catalog/region-store.ts";
import type { Api } from "../api/operations.ts";
import * as example from "./examples.ts";
import * as schema from "./schema.ts";
import * as view from "./view.ts";

export function imageRoutes(api: Api): void {
  api.get(
    "/images",
    {
      id: "listImages",
      tag: "Images",
      summary: "List images",
      description:
        "Every image in every region, each with its own stable ID. Launch an image by its ID, which is valid in " +
        "one region, or launch the newest image of a family.",
      query: schema.knownOnly({}),
      cached: "catalog",
      answer: Type.Object({ data: Type.Array(schema.Image) }),
      example: { answer: { data: [example.image] } },
    },
    async ({ db }) => {
      const [images, regions] = [await listImages(db), await listRegions(db)];
      return { data: images.flatMap((image) => regions.map((region) => view.image(image, region))) };
    },
  );
}

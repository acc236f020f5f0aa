// The catalogue: instance types, regions, images, and what is on offer now.

export * from "./image-store.ts";
export * from "./offers.ts";
export * from "./product-store.ts";
export * from "./region-store.ts";

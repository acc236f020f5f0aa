// The catalogue: instance types, regions, images, and what is on offer now.

export { type Architecture, architectures, defaultArchitecture } from "./architecture.ts";
export { type AskedImage, imageIdIn } from "./image-choice.ts";
export * from "./image-store.ts";
export * from "./instance-type-store.ts";
export * from "./offers.ts";
export * from "./region-store.ts";
export { type IsOffered, whereOffered } from "./where-offered.ts";

// Where a cloud finds an image of the catalog: in Glance, by id or by name. Used by settings.ts.

export type CloudImage =
  | { readonly kind: "id"; readonly id: string }
  /** Of several with this name, the newest counts. */
  | { readonly kind: "name"; readonly name: string };

// The catalog: instance types, images and regions. `?of=` selects which.

import { Tabs } from "@mantine/core";
import { useSearchParams } from "wouter";
import { Page } from "../../shared/page.tsx";
import { ImageList } from "./image-list.tsx";
import { RegionList } from "./region-list.tsx";
import { TypeList } from "./type-list.tsx";

const parts = {
  types: { title: "Instance types", List: TypeList },
  images: { title: "Images", List: ImageList },
  regions: { title: "Regions", List: RegionList },
} as const;
type Part = keyof typeof parts;

const isPart = (text: string | null): text is Part => text !== null && Object.hasOwn(parts, text);

export function CatalogPage() {
  const [search, setSearch] = useSearchParams();
  const asked = search.get("of");
  const part = isPart(asked) ? asked : "types";
  return (
    <Page title="Catalog" description="Instance types, regions and images. Changes affect new launches only.">
      <Tabs value={part} onChange={(of) => setSearch({ of: of ?? "types" })} keepMounted={false}>
        <Tabs.List mb={18}>
          {Object.entries(parts).map(([key, { title }]) => (
            <Tabs.Tab key={key} value={key}>
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {Object.entries(parts).map(([key, { List }]) => (
          <Tabs.Panel key={key} value={key}>
            <List />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}

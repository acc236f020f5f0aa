// The lambda edition: file systems. Decisions, The lambda edition. Its clients list at /file-systems and create and
// delete at /filesystems, or use one of the two for everything, so each operation is at both. Responses are not cached
// in memory: they also depend on accounts and regions.

import { readAccount } from "../../rental/accounts/account-store.ts";
import * as catalog from "../../rental/catalog/region-store.ts";
import * as fileSystems from "../../rental/file-systems/file-systems.ts";
import type { Api } from "../api/operations.ts";
import { byId, pageQuery } from "../api/paging.ts";
import { sample } from "../api/schema.ts";
import * as example from "./examples.ts";
import * as schema from "./schema.ts";
import * as view from "./view.ts";
import { unknownAsInvalid } from "./within-list.ts";

const tag = "File systems";

/** Both paths, with their operation names: names that differ only in case are the same to some generators. */
const places = [
  { path: "/file-systems", one: "FileSystem" },
  { path: "/filesystems", one: "StoredFileSystem" },
] as const;

export function fileSystemRoutes(api: Api): void {
  for (const { path, one } of places) {
    const other = places.find((place) => place.path !== path)?.path;
    const alias = `The same as at \`${other}\`.`;

    api.get(
      path,
      {
        id: `list${one}s`,
        tag,
        summary: "List file systems",
        description: `Your file systems, oldest first. ${alias}`,
        query: schema.knownOnly(pageQuery),
        answer: schema.FileSystemList,
        example: { answer: { data: [example.fileSystem] } },
      },
      async ({ db, principal, page }) => {
        const found = await page(byId, (window) => fileSystems.listFileSystems(db, principal, window));
        const [account, regions] = [await readAccount(db, principal.accountId), await catalog.listRegions(db)];
        return { data: found.map((each) => view.fileSystem(each, account, regions)) };
      },
    );

    api.post(
      path,
      {
        id: `create${one}`,
        tag,
        summary: "Create a file system",
        description: `Persistent: it outlives the instances it is attached to. Its size is the operator's default. ${alias}`,
        body: schema.CreateFileSystem,
        answer: schema.FileSystemResponse,
        example: {
          request: { name: "models", region: sample.region.name },
          answer: { data: example.fileSystem },
        },
        errors: ["duplicate", "quota-exceeded"],
      },
      async ({ tx, principal, body: { name, region } }) => {
        const sizeGb = api.context.config.defaults.fileSystemGb;
        const made = await unknownAsInvalid(() =>
          fileSystems.createFileSystem(tx, principal, { name, region, sizeGb }),
        );
        const [account, regions] = [await readAccount(tx, principal.accountId), await catalog.listRegions(tx)];
        return { data: view.fileSystem(made, account, regions) };
      },
    );

    api.delete(
      `${path}/:id`,
      {
        id: `delete${one}`,
        tag,
        summary: "Delete a file system",
        description: `Deletes it with all data. Rejected while it is attached. ${alias}`,
        params: schema.Id,
        answer: schema.DeletedFileSystems,
        example: { answer: { data: { deleted_ids: [example.fileSystem.id] } } },
        errors: ["unknown-object", "file-system-in-use"],
      },
      async ({ tx, principal, params }) => ({
        data: { deleted_ids: [await fileSystems.deleteFileSystem(tx, principal, params.id)] },
      }),
    );
  }
}

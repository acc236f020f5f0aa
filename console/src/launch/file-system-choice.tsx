// The file systems to attach: those in the region that no other instance uses, or whose storage allows several. Selecting
// one selects its region.

import { Button, MultiSelect } from "@mantine/core";
import { useState } from "react";
import { useRead } from "../api/queries.ts";
import { NewFileSystem } from "../file-systems/new-file-system.tsx";
import { formatNumber } from "../shared/format-number.ts";
import { Icon } from "../shared/icon.tsx";
import classes from "./launch-page.module.css";
import type { ChosenFileSystem } from "./more-options.ts";

interface FileSystemChoiceProps {
  readonly region: string;
  readonly value: readonly ChosenFileSystem[];
  /** Called when the region has to change. */
  readonly onChange: (chosen: readonly ChosenFileSystem[], region?: string) => void;
}

export function FileSystemChoice({ region, value, onChange }: FileSystemChoiceProps) {
  const read = useRead(["file-systems"], (client) => client.GET("/file-systems"));
  const [adding, setAdding] = useState(false);
  const all = read.data?.data ?? [];
  const fitting = all.filter(
    (one) => (one.attached_to === null || one.multi_attach) && (region === "any" || one.region === region),
  );
  // A file system that stays selected keeps its mount point.
  const asChosen = ({ id, name }: { id: string; name: string }): ChosenFileSystem =>
    value.find((one) => one.id === id) ?? { id, name, mountPoint: "" };
  const choose = (names: readonly string[]) => {
    const chosen = names.flatMap((name) => all.find((one) => one.name === name) ?? []);
    const [first] = chosen;
    if (region !== "any" || first === undefined) return onChange(chosen.map(asChosen));
    onChange(chosen.filter((one) => one.region === first.region).map(asChosen), first.region);
  };
  return (
    <>
      {all.length > 0 && (
        <MultiSelect
          aria-label="File systems"
          placeholder={value.length === 0 ? "None" : ""}
          data={fitting.map((one) => ({
            value: one.name,
            label: `${one.name} (${formatNumber(one.size_gb)} GB, ${one.region})`,
          }))}
          value={value.map(({ name }) => name)}
          onChange={choose}
          nothingFoundMessage="No available file systems in this region"
          searchable
          clearable
          maw={480}
        />
      )}
      <div className={classes.under}>
        <Button
          variant="default"
          size="xs"
          onClick={() => setAdding(true)}
          leftSection={<Icon name="plus" size={13} />}
        >
          Create file system
        </Button>
        <span className="soft">Its data stays when the instance is terminated.</span>
      </div>
      {adding && <NewFileSystem onClose={() => setAdding(false)} />}
    </>
  );
}

// The form for a new file system: its name, its region and its size. Used by the list and by the rent page.

import { NumberInput, Select, TextInput } from "@mantine/core";
import { useState } from "react";
import { useChange } from "../api/queries.ts";
import { useOffers } from "../launch/use-offers.ts";
import { fieldError } from "../shared/error-state.tsx";
import { FormDialog } from "../shared/form-dialog.tsx";
import { regionTitle } from "../shared/names.tsx";

export function NewFileSystem({ onClose }: { readonly onClose: () => void }) {
  const { regions } = useOffers();
  const [name, setName] = useState("");
  const [chosen, setRegion] = useState<string | null>(null);
  const [size, setSize] = useState<number | string>(512);
  const region = chosen ?? regions[0]?.name ?? null;
  const make = useChange(
    (client, body: { name: string; region: string; size_gb: number }) => client.POST("/file-systems", { body }),
    ["file-systems", "account"],
  );
  const submit = () => {
    if (region === null || typeof size !== "number") return;
    make.mutate({ name: name.trim(), region, size_gb: size }, { onSuccess: onClose });
  };
  return (
    <FormDialog
      title="New file system"
      action="Create file system"
      onClose={onClose}
      onSubmit={submit}
      disabled={name.trim() === "" || region === null || typeof size !== "number" || size < 1}
      pending={make.isPending}
      error={make.error}
    >
      <TextInput
        label="Name"
        description="Mounted at /mnt/ and this name unless you choose another mount point"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={fieldError(make.error, "name")}
        maxLength={64}
        data-autofocus
      />
      <Select
        label="Region"
        description="Only instances in this region can attach it"
        data={regions.map((one) => ({ value: one.name, label: regionTitle(one) }))}
        value={region}
        onChange={setRegion}
        allowDeselect={false}
        error={fieldError(make.error, "region")}
      />
      <NumberInput
        label="Size in GB"
        value={size}
        onChange={setSize}
        min={1}
        allowDecimal={false}
        thousandSeparator=","
        error={fieldError(make.error, "size_gb")}
      />
    </FormDialog>
  );
}

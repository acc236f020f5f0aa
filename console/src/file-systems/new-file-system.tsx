// The form for a new file system. Used by the list and by the launch page.

import { NumberInput, Select, TextInput } from "@mantine/core";
import { isNotEmpty, useForm } from "@mantine/form";
import { useChange } from "../api/queries.ts";
import { useOffers } from "../launch/use-offers.ts";
import { FormDialog } from "../shared/form-dialog.tsx";
import { regionTitle } from "../shared/names.tsx";
import type { Typed } from "../shared/number-inputs.tsx";

export function NewFileSystem({ onClose }: { readonly onClose: () => void }) {
  const { regions } = useOffers();
  const form = useForm({
    initialValues: { name: "", region: null as string | null, size_gb: 512 as Typed },
    validate: { name: isNotEmpty("Enter a name.") },
  });
  const region = form.values.region ?? regions[0]?.name ?? "";
  const create = useChange(
    (client, { name, size_gb }: typeof form.values) =>
      client.POST("/file-systems", { body: { name: name.trim(), region, size_gb: Number(size_gb) } }),
    ["file-systems", "account"],
  );
  return (
    <FormDialog title="New file system" action="Create file system" form={form} change={create} onClose={onClose}>
      <TextInput
        label="Name"
        description="Mounted at /mnt/ and this name unless you choose another mount point"
        {...form.getInputProps("name")}
        maxLength={64}
        data-autofocus
      />
      <Select
        label="Region"
        description="Only instances in this region can attach it"
        data={regions.map((one) => ({ value: one.name, label: regionTitle(one) }))}
        {...form.getInputProps("region")}
        value={region}
        allowDeselect={false}
      />
      <NumberInput
        label="Size in GB"
        {...form.getInputProps("size_gb")}
        min={1}
        allowDecimal={false}
        thousandSeparator=","
      />
    </FormDialog>
  );
}

// The image: the operator's default, or another that supports the chosen instance type.

import { Select } from "@mantine/core";
import { useRead } from "../api/queries.ts";

interface ImageChoiceProps {
  /** Of the instance type; null: it has no GPU, or none is chosen. */
  readonly gpuModel: string | null;
  readonly architecture: "x86_64" | "arm64" | undefined;
  readonly value: string | undefined;
  readonly onChange: (image: string | undefined) => void;
}

export function ImageChoice({ gpuModel, architecture, value, onChange }: ImageChoiceProps) {
  const read = useRead(["images"], (client) => client.GET("/images"));
  const images = (read.data?.data ?? []).filter(
    (image) =>
      (architecture === undefined || image.architecture === architecture) &&
      (gpuModel === null || !image.unsupported_gpu_models.includes(gpuModel)),
  );
  const standard = images.find((image) => image.default);
  const chosen = images.find(({ name }) => name === value) ?? standard;
  return (
    <Select
      aria-label="Image"
      placeholder={read.data === undefined ? "" : "Default image"}
      data={images.map(({ name, description, default: isDefault }) => ({
        value: name,
        label: `${description || name}${isDefault ? " (default)" : ""}`,
      }))}
      value={chosen?.name ?? null}
      onChange={(name) => onChange(name === null || name === standard?.name ? undefined : name)}
      allowDeselect={false}
      searchable
      maw={480}
      error={
        read.error === null || read.data !== undefined ? undefined : "Images could not be loaded. The default is used."
      }
    />
  );
}

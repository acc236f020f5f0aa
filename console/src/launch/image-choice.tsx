// The image: the operator's default, or another that supports the chosen instance type.

import { Select } from "@mantine/core";
import { type ImageFit, useImages } from "./use-images.ts";

interface ImageChoiceProps extends ImageFit {
  readonly value: string | undefined;
  readonly onChange: (image: string | undefined) => void;
}

export function ImageChoice({ gpuModel, architecture, value, onChange }: ImageChoiceProps) {
  const { read, images, standard, chosen } = useImages({ gpuModel, architecture }, value);
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

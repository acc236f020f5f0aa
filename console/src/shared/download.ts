// Saves what the console has as a file: a link alone would send no session header.

/** Lets the browser save `content` under `name`. */
export function download(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // After the browser has taken it.
  window.setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

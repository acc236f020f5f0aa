// The name of the file that a private key is saved as. Pure.

/** Made of the key's name; only of what every system takes. */
export function privateKeyFile(name: string): string {
  const plain = name
    .trim()
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[.-]+|[.-]+$/g, "");
  return `${plain === "" ? "lessor" : plain}.pem`;
}

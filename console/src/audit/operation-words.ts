// The name of an operation as words: "launchInstances" is "Launch instances". Pure.

export function operationWords(operation: string): string {
  const words = operation
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .replace(/\bssh\b/, "SSH");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Saves a text as a file of the browser. */
export function save(text: string, type: string, name: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name.replaceAll(/[^\w.-]/g, '_');
  link.click();
  URL.revokeObjectURL(address);
}

/** Consoles make an empty object to show an empty folder: it is one only if it is empty *and* its key ends with a slash. */
export function isFolderMarker(object: { readonly key: string; readonly sizeBytes: number }): boolean {
  return object.sizeBytes === 0 && object.key.endsWith('/');
}

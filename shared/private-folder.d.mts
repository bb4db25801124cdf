/** Whether a folder is this user's and no link, and no other user may list, read or write it. */
export function isPrivateFolder(path: string): boolean;

/** Whether what has this owner, as `lstat` gives it, was put there by this user or root. */
export function isTrustedOwner(uid: number): boolean;

/**
 * The folder for this project's cache in the user's home. It is `undefined` if there is no home, or
 * if another user could put a file into the folder.
 */
export function privateCacheFolder(): string | undefined;

import type { ListedVersion, ObjectVersions, VersionMarker } from '#shared/aws/version-listing.ts';

/** A key that is overwritten more often has older versions that nobody looks for here. */
const mostPages = 10;

/** One version of one key, by the listing: no grant to read objects is needed. `undefined`: it is gone. */
export async function findVersion(
  versions: ObjectVersions,
  key: string,
  versionId: string,
): Promise<ListedVersion | undefined> {
  let after: VersionMarker | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const listed = await versions.list({ prefix: key, after });
    const found = listed.versions.find((version) => version.key === key && version.versionId === versionId);
    if (found !== undefined) return found;
    after = listed.next;
    // The key itself comes before every longer one.
    if (after === undefined || after.key !== key) return undefined;
  }
  return undefined;
}

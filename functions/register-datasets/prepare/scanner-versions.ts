import type { ResolvedGateway } from '#shared/config/resolve/resolved-automation.ts';

/** How several scanner versions go out, as the configuration says it. */
export type ScannerVersionsAs = ResolvedGateway['scannerVersionsAs'];

/** One version or several. */
export type ScannerVersions = string | readonly string[];

/**
 * Versions as metadata holds them: headers know no lists, so several stand between commas. Where the configuration does not say how several
 * go out, the text is one version, commas and all: it is sent as the person wrote it.
 */
export function versionsInMetadata(text: string | undefined, as: ScannerVersionsAs): ScannerVersions | undefined {
  if (text === undefined || as === undefined) return text;
  const versions = text
    .split(',')
    .map((version) => version.trim())
    .filter((version) => version !== '');
  return versions.length === 0 ? undefined : versions;
}

/**
 * Versions as the gateway takes them: one is a text, several are what the configuration says. Pure.
 * @returns `undefined` where there are several and the configuration does not say how they go out
 * @example versionsToSend(['2026-02', '2026-03'], 'comma-separated') // '2026-02,2026-03'
 */
export function versionsToSend(versions: ScannerVersions, as: ScannerVersionsAs): ScannerVersions | undefined {
  const [only, ...others] = typeof versions === 'string' ? [versions] : versions;
  if (others.length === 0) return only;
  switch (as) {
    case 'comma-separated':
      return versions.toString();
    case 'json-text':
      return JSON.stringify(versions);
    case 'array':
      return versions;
    case undefined:
      return undefined;
  }
}

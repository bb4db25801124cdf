import type { ScannerPackagesBody } from './scanner-packages.ts';

/**
 * Returns true only if `scannerPackagesSchema` would return this body unchanged. A walk is a thousand pages of a hundred packages: their types are
 * looked at in place, a tenth of the time that a copy takes, and no schema is compiled for it at a cold start. The schema judges everything else.
 */
export function isSurelyPage(body: unknown): body is ScannerPackagesBody {
  if (!isPlain(body)) return false;
  const { packages, next } = body;
  return Array.isArray(packages) && packages.every(isPackage) && (isText(next) || Number.isFinite(next));
}

function isPackage(value: unknown): boolean {
  return (
    isPlain(value) &&
    isRequiredText(value['id']) &&
    isText(value['name']) &&
    isText(value['direction']) &&
    isSource(value['source'])
  );
}

function isRequiredText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isSource(value: unknown): boolean {
  return isText(value) || (isPlain(value) && isText(value['type']));
}

function isText(value: unknown): boolean {
  return value === undefined || value === null || typeof value === 'string';
}

/** An object of JSON; one with a field of this name is read without it. */
function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !Object.hasOwn(value, '__proto__');
}

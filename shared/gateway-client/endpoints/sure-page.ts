import type { ScannerPackagesBody } from './scanner-packages.ts';

/**
 * Whether a body is surely a page of scanner packages as `scannerPackagesSchema` reads it, in whose result nothing would differ from it. A walk
 * is a thousand pages of a hundred packages: their types are looked at in place, a tenth of the time that a copy takes, and nothing has to be compiled
 * for it at a cold start. Whatever this does not know, the schema judges.
 */
export function isSurelyPage(body: unknown): body is ScannerPackagesBody {
  if (!isPlain(body)) return false;
  const { packages } = body;
  return Array.isArray(packages) && packages.every(isPackage) && isCursor(body['next']) && isCursor(body['prev']);
}

function isPackage(value: unknown): boolean {
  return (
    isPlain(value) &&
    isRequiredText(value['id']) &&
    isText(value['name']) &&
    isText(value['direction']) &&
    isText(value['projectId']) &&
    isScalar(value['availableUpdate']) &&
    isAvailability(value['availability']) &&
    isCounts(value['scannerCounts']) &&
    isTexts(value['scannerIds']) &&
    isFlag(value['shared']) &&
    isSource(value['source']) &&
    isFlag(value['vendored'])
  );
}

function isRequiredText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isAvailability(value: unknown): boolean {
  if (isAbsent(value)) return true;
  return (
    isPlain(value) && isFlag(value['global']) && (isAbsent(value['projectIds']) || Array.isArray(value['projectIds']))
  );
}

function isSource(value: unknown): boolean {
  return isText(value) || (isPlain(value) && isText(value['type']));
}

function isCounts(value: unknown): boolean {
  if (isAbsent(value)) return true;
  if (!isPlain(value)) return false;
  for (const name in value) if (!isCursor(value[name])) return false;
  return true;
}

function isTexts(value: unknown): boolean {
  return isAbsent(value) || (Array.isArray(value) && value.every((item) => typeof item === 'string'));
}

function isScalar(value: unknown): boolean {
  return isFlag(value) || isNumber(value);
}

function isCursor(value: unknown): boolean {
  return isText(value) || isNumber(value);
}

function isFlag(value: unknown): boolean {
  return isText(value) || typeof value === 'boolean';
}

function isText(value: unknown): boolean {
  return isAbsent(value) || typeof value === 'string';
}

/** JSON has numbers that are none here: 1e999. */
function isNumber(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value);
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

/** An object of JSON; one with a field of this name is read without it. */
function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !Object.hasOwn(value, '__proto__');
}

import type { Import, SourceFile } from './read-imports.ts';
import {
  asksTheStage,
  barrels,
  defaultExports,
  doors,
  gatewayTypes,
  gatewayWords,
  knowsItsPlace,
  longest,
  mayImport,
  namesNoRooms,
  packageOf,
  readsEnvironment,
  roomOf,
  targetOf,
} from './rooms.ts';

/** Every breach of the project's boundaries as `file: what (rule)`. */
export function checkArchitecture(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => [
    ...file.imports.flatMap((imported) => [
      ...checkRoom(imported),
      ...checkFunctions(imported),
      ...checkDoor(imported),
    ]),
    ...checkZod(file),
    ...checkEnvironment(file),
    ...checkPlace(file),
    ...checkExports(file),
    ...checkLength(file),
  ]);
}

function checkRoom(imported: Import): string[] {
  const { file, specifier } = imported;
  const target = targetOf(file, specifier);
  const room = roomOf(file);
  if (target === undefined) return [];
  const isNamed = specifier.startsWith('#');
  if (roomOf(target) === room) return isNamed ? [breach(imported, 'within a room an import is relative')] : [];
  // A file of the root is in no room.
  const needsName = target.includes('/') && !namesNoRooms.test(file);
  if (needsName && !isNamed) return [breach(imported, `another room is imported as #${target}`)];
  return checkReach(imported, room, target);
}

function checkReach(imported: Import, room: string, target: string): string[] {
  const allowed = mayImport[room] ?? [];
  if (asksTheStage.test(room) && target.startsWith(gatewayTypes) && !gatewayWords.includes(target))
    return imported.isTypeOnly ? [] : [breach(imported, 'an operator never calls the gateway: askStage does')];
  if (allowed.some((prefix) => target.startsWith(prefix))) return [];
  if (room === 'gateway' && target.startsWith(gatewayTypes)) {
    return imported.isTypeOnly ? [] : [breach(imported, 'the gateway may import types of the client only')];
  }
  const list = allowed.length === 0 ? 'nothing outside of it' : allowed.join(', ');
  return [breach(imported, `${room} may import ${list}`)];
}

function checkFunctions(imported: Import): string[] {
  const target = targetOf(imported.file, imported.specifier);
  const [from, to] = [functionOf(imported.file), functionOf(target ?? '')];
  if (from === undefined || to === undefined || from === to || to.startsWith('_')) return [];
  return [breach(imported, 'a function never imports another function; what both need goes down into shared')];
}

function functionOf(path: string): string | undefined {
  return /^functions\/([^/]+)\//.exec(path)?.[1];
}

function checkDoor(imported: Import): string[] {
  const { file, specifier } = imported;
  if (specifier === 'aws-cdk-lib')
    return [breach(imported, 'import aws-cdk-lib/core or aws-cdk-lib/aws-…: the whole is slow')];
  if (/^[.#]/.test(specifier) || roomOf(file) === 'test') return [];
  return doors
    .filter(({ packages, door }) => packages.test(packageOf(specifier)) && !door.test(file))
    .map(({ where }) => breach(imported, `only ${where} uses it`));
}

function checkZod({ path, text }: SourceFile): string[] {
  const isNamed = /^import\s+(?!type\b)(?:\w+\s*,?\s*)?\{[^}]*\}\s*from\s*['"]zod['"]/m.test(text);
  return isNamed ? [`${path}: imports names of zod (import * as z from 'zod': else every locale is bundled)`] : [];
}

function checkEnvironment({ path, text, imports }: SourceFile): string[] {
  if (roomOf(path) === 'test' || readsEnvironment.some((entry) => entry.test(path))) return [];
  const readsIt = /\bprocess\s*(?:\?\.|\.)\s*env\b|\bprocess\[['"]env['"]\]/.test(withoutComments(text));
  const importsIt = imports.some(({ specifier }) => specifier === 'node:process' || specifier === 'process');
  if (!readsIt && !importsIt) return [];
  return [`${path}: reads process.env (entry files do, and hand on what is needed)`];
}

function checkPlace({ path, text }: SourceFile): string[] {
  if (roomOf(path) === 'test' || knowsItsPlace.some((entry) => entry.test(path))) return [];
  if (!/(?<!createRequire\()\bimport\.meta\.(?:dirname|filename|url)\b/.test(withoutComments(text))) return [];
  return [`${path}: asks where it lies (shared/places.ts does, and a bundler moves every other module)`];
}

function checkExports({ path, text, hasDefaultExport }: SourceFile): string[] {
  const problems: string[] = [];
  if (hasDefaultExport && !defaultExports.some((pattern) => pattern.test(path))) {
    problems.push(`${path}: has a default export (named exports only)`);
  }
  if (isBarrel(text) && !barrels.includes(path)) {
    problems.push(`${path}: only gathers exports of other files (no barrels but ${barrels.join(', ')})`);
  }
  return problems;
}

function isBarrel(text: string): boolean {
  const reExports = /^export\s+(?:type\s+)?(?:\*(?:\s+as\s+\w+)?|\{[^}]*\})\s*from\s*['"][^'"]+['"];?/gm;
  const code = withoutComments(text);
  if (/^export\s+\*\s*from/m.test(code)) return true;
  return reExports.test(code) && code.replaceAll(reExports, '').trim() === '';
}

function checkLength({ path, text }: SourceFile): string[] {
  const lines = text.trimEnd().split('\n').length;
  const limit = longest[roomOf(path) === 'test' ? 'test' : 'source'];
  if (lines <= limit) return [];
  return [`${path}: has ${lines} lines (past ${limit} it is split, or has its reason in rooms.ts)`];
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(?<=^|\s)\/\/.*$/gm, '');
}

function breach({ file, specifier }: Import, rule: string): string {
  return `${file}: imports ${specifier} (${rule})`;
}

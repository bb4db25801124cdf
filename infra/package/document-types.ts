/**
 * The types of `automation.config.ts`, as TypeScript infers them of the schemas in `shared/config/schema/`: names, optional keys, doc
 * comments. The reference page and the declarations that ship are made of them, so people get neither zod nor its types.
 */
import { join } from 'node:path';
import { automationSchema } from '#shared/config/schema/automation-schema.ts';
import { API, SymbolFlags, type Symbol as TypeScriptSymbol, type Type } from 'typescript/unstable/sync';
import { packageFolder } from '#shared/places.ts';

/** A key of a type of the document. */
export interface DocumentKey {
  readonly name: string;
  readonly isRequired: boolean;
  readonly doc: string;
  /** The default of its schema, or the text of `@default`, if another setting decides it. */
  readonly default: string | undefined;
  /** As TypeScript writes it, the names of other types of the document in it. */
  readonly type: string;
  /** The type of the document that it holds: itself, a list of it, or one under each name. */
  readonly holds?: { readonly type: string; readonly as: '' | '[]' | '.*' };
  /** The keys of an object that has no name. */
  readonly keys?: readonly DocumentKey[];
}

export interface DocumentType {
  readonly name: string;
  readonly doc: string;
  readonly keys: readonly DocumentKey[];
}

export const documentFile = 'shared/config/automation.ts';

type Checker = ReturnType<ReturnType<API['updateSnapshot']>['getProjects']>[number]['checker'];

/** Every object type that {@link documentFile} exports, in its order. */
export function readDocumentTypes(): readonly DocumentType[] {
  const project = join(packageFolder, 'infra', 'package', 'document-types.tsconfig.json');
  const api = new API({ cwd: packageFolder });
  try {
    const { program, checker } = api.updateSnapshot({ openProjects: [project] }).getProjects()[0] ?? {};
    const file = program?.getSourceFile(join(packageFolder, documentFile));
    const module = file && checker?.getSymbolAtLocation(file);
    if (checker === undefined || module === undefined) throw new Error(`TypeScript finds no ${documentFile}`);
    const named = checker
      .getExportsOfModule(module)
      .filter(({ flags }) => (flags & SymbolFlags.TypeAlias) !== 0)
      .map((symbol) => ({ symbol, type: checker.getDeclaredTypeOfSymbol(symbol) }))
      .filter(({ type }) => isObject(checker, type));
    const names = new Map(named.map(({ symbol, type }) => [type.id, symbol.name]));
    const root: unknown = automationSchema({ isLocalStage: false, now: new Date() });
    const shapes = new Map([[named[0]?.symbol.name ?? '', shapeIn(root as Schema)]]);
    return named.map(({ symbol, type }) => ({
      name: symbol.name,
      doc: prose(checker.getDocumentationCommentOfSymbol(symbol)),
      // Each stands behind the one that holds it.
      keys: keysOf(type, shapes.get(symbol.name) ?? {}, { checker, names, shapes }),
    }));
  } finally {
    api.close();
  }
}

function isObject(checker: Checker, type: Type): boolean {
  return type.isObjectType() && !checker.isArrayLikeType(type) && checker.getIndexInfosOfType(type).length === 0;
}

/** What a key is looked up in: names of types by their ids, and the schemas of the types that were met already. */
interface Reading {
  readonly checker: Checker;
  readonly names: ReadonlyMap<number, string>;
  readonly shapes: Map<string, Shape>;
}

type Shape = Readonly<Record<string, Schema>>;

/** The parts of zod's definitions that are looked at. */
interface Schema {
  readonly def: {
    readonly defaultValue?: unknown;
    readonly shape?: Shape;
    readonly innerType?: Schema;
    readonly element?: Schema;
    readonly valueType?: Schema;
    readonly in?: Schema;
  };
}

/** The settings in a schema: of the object itself, or of what a list, a record or a pipe is of. */
function shapeIn({ def }: Schema): Shape {
  const inner = def.innerType ?? def.element ?? def.valueType ?? def.in;
  return def.shape ?? (inner === undefined ? {} : shapeIn(inner));
}

function keysOf(type: Type, shape: Shape, reading: Reading): readonly DocumentKey[] {
  return reading.checker.getPropertiesOfType(type).map((symbol) => {
    const schema = shape[symbol.name];
    if (schema === undefined) throw new Error(`no schema has the key ${symbol.name}`);
    return keyOf(symbol, schema, reading);
  });
}

function keyOf(symbol: TypeScriptSymbol, schema: Schema, reading: Reading): DocumentKey {
  const { checker } = reading;
  const declared = checker.getTypeOfSymbol(symbol);
  const type = declared && checker.getNonNullableType(declared);
  if (type === undefined) throw new Error(`TypeScript knows no type of ${symbol.name}`);
  const tag = symbol.getJsDocTags(checker).find(({ name }) => name === 'default');
  const same = {
    name: symbol.name,
    isRequired: (symbol.flags & SymbolFlags.Optional) === 0,
    doc: prose(symbol.getDocumentationComment(checker)),
    default: tag?.text === undefined ? shown(schema.def.defaultValue) : prose(tag.text),
  };
  const holds = heldIn(type, reading);
  if (holds !== undefined) {
    reading.shapes.set(holds.type, shapeIn(schema));
    return { ...same, type: written[holds.as](holds.type), holds };
  }
  const text = checker.typeToString(type, undefined, noTruncation).replaceAll('"', "'");
  return { ...same, type: text, ...(isObject(checker, type) ? { keys: keysOf(type, shapeIn(schema), reading) } : {}) };
}

const written = {
  '': (name: string) => name,
  '[]': (name: string) => `readonly ${name}[]`,
  '.*': (name: string) => `Readonly<Record<string, ${name}>>`,
};

/** The type of the document that a type is, lists, or has under each name. */
function heldIn(type: Type, { checker, names }: Reading): DocumentKey['holds'] {
  const [element] = checker.isArrayLikeType(type) && type.isTypeReference() ? checker.getTypeArguments(type) : [];
  const value = element === undefined ? checker.getIndexInfosOfType(type)[0]?.valueType : undefined;
  const [own, listed, under] = [type, element, value].map((one) => one && names.get(one.id));
  if (own !== undefined) return { type: own, as: '' };
  if (listed !== undefined) return { type: listed, as: '[]' };
  return under === undefined ? undefined : { type: under, as: '.*' };
}

/** A default as the reference page writes it; an empty one is none. */
function shown(value: unknown): string | undefined {
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value === 'object') return 'none';
  return value === undefined ? undefined : JSON.stringify(value);
}

/** `NodeBuilderFlags.NoTruncation`: a type is written whole. */
const noTruncation = 1;

function prose(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/**
 * The declarations that ship, of those that the compiler makes. Each type of the document has its keys and their comments.
 */
export function flatDeclarations(compiled: string): string {
  const types = new Map(readDocumentTypes().map(({ name, keys }) => [name, keys]));
  return compiled
    .replace(/^[\s\S]*\nimport .*\n/, '')
    .replaceAll(/^export type (\w+) = z\.input<.*>;$/gm, (alias, name: string) => {
      const keys = types.get(name);
      if (keys === undefined) throw new Error(`no object: ${alias}`);
      return `export interface ${name} ${declaredKeys(keys, '')}`;
    });
}

function declaredKeys(keys: readonly DocumentKey[], indent: string): string {
  const inner = `${indent}    `;
  const lines = keys.map((key) => {
    const type = key.keys === undefined ? key.type : declaredKeys(key.keys, inner);
    const comment = key.default === undefined ? key.doc : `${key.doc} @default ${key.default}`;
    return `${inner}/** ${comment} */\n${inner}readonly ${key.name}${key.isRequired ? '' : '?'}: ${type};\n`;
  });
  return `{\n${lines.join('')}${indent}}`;
}

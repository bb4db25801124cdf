import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Plugin } from 'esbuild';

/** A file of a package that says the same in less. */
interface Condensed {
  /** The end of the file's path. */
  readonly file: RegExp;
  readonly loader: 'js' | 'json';
  readonly to: (path: string) => Promise<string>;
}

const require = createRequire(import.meta.url);

/** Each is compiled, and evaluated, at every cold start. */
const condensed: readonly Condensed[] = [
  {
    // Only the version is asked for, for the header user-agent.
    file: /@aws-sdk\/client-[^/]+\/package\.json$/,
    loader: 'json',
    async to(path) {
      const { version }: { version: string } = JSON.parse(await readFile(path, 'utf8'));
      return JSON.stringify({ version });
    },
  },
  {
    // Tables of methods, states and characters, worked out at each start. A test holds that the client asks for these two alone.
    file: /undici\/lib\/llhttp\/constants\.js$/,
    loader: 'js',
    async to(path) {
      const { ERROR, TYPE }: Record<string, unknown> = require(path);
      return `module.exports = ${JSON.stringify({ ERROR, TYPE })};`;
    },
  },
  {
    file: /@aws-sdk\/client-[^/]+\/dist-es\/models\/errors\.js$/,
    loader: 'js',
    async to(path) {
      return errorClasses(await readFile(path, 'utf8'), path);
    },
  },
  {
    file: /@aws-sdk\/client-[^/]+\/dist-es\/schemas\/schemas_0\.js$/,
    loader: 'js',
    async to(path) {
      return literalKeys(await readFile(path, 'utf8'), path);
    },
  },
];

/** Shortens what packages write out at length. What it makes of a file does what the file does. */
export const condensePlugin: Plugin = {
  name: 'condense',
  setup(build) {
    for (const { file, loader, to } of condensed) {
      build.onLoad({ filter: file }, async ({ path }) => ({ contents: await to(path), loader }));
    }
  },
};

/**
 * Says a client's error classes by one that makes them: ten lines for each of 35 of DynamoDB alone, of which a function knows one. Fields of
 * an error are set by whoever reads the answer, as before.
 * @throws Error where a later version writes them in another way
 */
function errorClasses(source: string, path: string): string {
  const base = /^import \{ (\w+) as __BaseException \} from "([^"]+)";$/m.exec(source);
  const classes = [
    ...source.matchAll(
      /^export class (\w+) extends __BaseException \{\n(?: +static [^\n]+\n)? +name = "([^"]+)";\n +\$fault = "(client|server)";$/gm,
    ),
  ];
  const exported = source.match(/^export /gm)?.length ?? 0;
  if (base === null || classes.length !== exported) {
    throw new Error(
      `${path} is written in another way than condense-plugin.ts knows: ${classes.length} of ${exported} classes`,
    );
  }
  return [
    `import { ${base[1]} as Base } from ${JSON.stringify(base[2])};`,
    'const of = (name, $fault) => class extends Base { name = name; $fault = $fault;',
    'constructor(fields) { super({ name, $fault, ...fields }); Object.setPrototypeOf(this, new.target.prototype); } };',
    ...classes.map(([, name, said, fault]) => `export const ${name} = /* @__PURE__ */ of("${said}", "${fault}");`),
  ].join('\n');
}

/**
 * Writes the keys of a client's schemas as they are, `{ [_hH]: 1 }` as `{ "httpHeader": 1 }`: of a key that is worked out a bundler has to think that
 * it does something, and keeps every schema for it, also those of requests that nobody makes.
 * @throws Error where a key is none of the file's constants
 */
function literalKeys(source: string, path: string): string {
  const texts = new Map([...source.matchAll(/^const (\w+) = ("[^"\n]*");$/gm)].map(([, name, text]) => [name, text]));
  return source.replaceAll(/\[(\w+)\]:/g, (_key, name: string) => {
    const text = texts.get(name);
    if (text === undefined) throw new Error(`${path} has a key ${name} that condense-plugin.ts does not know`);
    return `${text}:`;
  });
}

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';

/** A part of a package that no function uses, and what stands in its place. */
export interface LeftOut {
  /** The end of the file's path. */
  readonly file: RegExp;
  readonly because: string;
  /** Source of what takes its place. @default a function that throws, naming the file */
  readonly instead?: string;
}

/**
 * Half of an ordinary bundle, and a good part of its cold start, is code that never runs in a
 * function. What is left out here throws if it is ever reached; the stage tests run through these
 * very bundles. A pattern that matches nothing any more fails a test.
 */
export const leftOut: readonly LeftOut[] = [
  {
    file: /undici\/index\.js$/,
    because:
      'the client uses two of its parts, and `request` as a method; the whole holds fetch, caches, mocks and proxies',
    instead: [
      "Object.assign(require('./lib/dispatcher/dispatcher.js').prototype, { request: require('./lib/api/api-request.js') });",
      "module.exports = { Pool: require('./lib/dispatcher/pool.js'), buildConnector: require('./lib/core/connect.js') };",
    ].join('\n'),
  },
  { file: /undici\/lib\/llhttp\/llhttp-wasm\.js$/, because: 'Node 24 runs the parser with SIMD, on x64 and arm64' },
  { file: /undici\/lib\/dispatcher\/parser-h1\.js$/, because: 'the client asks for the other parser (useMilo: false)' },
  { file: /undici\/lib\/dispatcher\/client-h2\.js$/, because: 'the client speaks HTTP/1.1 (allowH2: false)' },
  { file: /undici\/lib\/web\/(?:fetch|webidl)\/[^/]+\.js$/, because: 'bodies are buffers; no code calls fetch' },
  { file: /zod\/v4\/core\/json-schema-processors\.js$/, because: 'no function turns a schema into JSON Schema' },
  {
    file: /zod\/v4\/core\/to-json-schema\.js$/,
    because: 'no function turns a schema into JSON Schema',
    // Every schema asks for its methods when it is made; no code calls them.
    instead:
      'const none = () => undefined; export { none as createToJSONSchemaMethod, none as createStandardJSONSchemaMethod, none as extractDefs, none as finalize, none as handleUnrepresentable, none as initializeContext, none as processSchema };',
  },
  {
    // Asked for by a dynamic import: without this its file, and all that it needs, would keep every
    // export.
    file: /@smithy\/core\/dist-es\/submodules\/event-streams\/index\.js$/,
    because: 'no operation in use answers with a stream of events',
    instead:
      "export class EventStreamSerde { constructor() { throw new Error('@smithy/core/event-streams is not part of the bundle'); } } export const eventStreamSerdeProvider = undefined; export const resolveEventStreamSerdeConfig = (config) => config;",
  },
  {
    file: /@smithy\/core\/dist-es\/submodules\/config\/node-config-provider\/configLoader\.js$/,
    because: 'a function has its settings in the environment; files of profiles are for other places',
    instead: [
      "import { fromEnv } from './fromEnv';",
      'export const loadConfig = ({ environmentVariableSelector, default: otherwise }, { signingName, logger } = {}) => {',
      "  const orElse = () => (typeof otherwise === 'function' ? otherwise() : otherwise);",
      '  let found;',
      '  return () => (found ??= fromEnv(environmentVariableSelector, { signingName, logger })().catch(orElse));',
      '};',
    ].join('\n'),
  },
  {
    file: /@smithy\/core\/dist-es\/submodules\/config\/config-resolver\/regionConfig\/getInstanceMetadataRegion\.js$/,
    because: 'Lambda says its region in the environment; there is no instance to ask',
    instead: 'export const getInstanceMetadataRegion = async () => undefined;',
  },
  {
    file: /@aws-sdk\/middleware-endpoint-discovery\/dist-es\/index\.js$/,
    because: 'the endpoint of DynamoDB follows from its region or is configured; no operation in use asks for another',
    instead:
      'export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = { environmentVariableSelector: () => undefined }; export const resolveEndpointDiscoveryConfig = (config) => config;',
  },
  {
    file: /@smithy\/core\/dist-es\/submodules\/retry\/util-retry\/AdaptiveRetryStrategy\.js$/,
    because: 'the functions repeat in the standard mode',
    instead:
      "export class AdaptiveRetryStrategy { constructor() { throw new Error('AWS_RETRY_MODE=adaptive: that strategy is not part of the bundle'); } }",
  },
  {
    file: /@smithy\/core\/dist-es\/submodules\/serde\/util-stream\/stream-type-check\.js$/,
    because: 'bodies are streams of Node; asking for the classes of the web loads them (3 % of a cold start)',
    instead: 'export const isReadableStream = () => false; export const isBlob = () => false;',
  },
  {
    file: /@smithy\/core\/dist-es\/submodules\/serde\/uuid\/v4\.js$/,
    because: 'node:crypto has it; the one of the web loads all of web cryptography',
    instead: "import { randomUUID } from 'node:crypto'; export const bindV4 = () => randomUUID;",
  },
  {
    file: /undici\/lib\/core\/tree\.js$/,
    because: 'a table of header names, made at each start; what is not in it is decoded',
    instead: 'exports.tree = { lookup: () => undefined };',
  },
  {
    file: /middleware-s3-express\/classes\/S3ExpressIdentityProviderImpl\.js$/,
    because: 'for directory buckets, which keep no versions and send no notifications',
    instead: 'export class S3ExpressIdentityProviderImpl {}',
  },
  {
    file: /\/checksum\/sha256\/Sha256Js\.js$/,
    because: 'Node has its own; this one is for places without',
    instead: 'export const Sha256Js = undefined;',
  },
  {
    file: /@aws-sdk\/checksums\/dist-es\/submodules\/sha\/sha1\/Sha1Js\.js$/,
    because: 'Node has its own; this one is for places without',
    instead: 'export const Sha1Js = undefined;',
  },
  {
    file: /\/checksum\/md5\/Md5Js\.js$/,
    because: 'Node has its own; this one is for places without',
    instead: 'export const Md5Js = undefined;',
  },
  {
    file: /@aws-sdk\/credential-provider-node\/.*\.js$/,
    because:
      'Lambda hands its credentials over in the environment; profiles, SSO and metadata services are for other places',
    instead: "export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';",
  },
];

/** Keeps what no function uses out of the bundles. */
export const leftOutPlugin: Plugin = {
  name: 'left-out',
  setup(build) {
    for (const { file, because, instead } of leftOut) {
      build.onLoad({ filter: file }, ({ path }) => ({
        contents: instead ?? throwing(path.replace(/^.*node_modules\//, ''), because),
        loader: 'js',
        resolveDir: dirname(path),
      }));
    }
  },
};

function throwing(file: string, because: string): string {
  const message = `${file} is not part of the bundle: ${because}`;
  return `module.exports = () => { throw new Error(${JSON.stringify(message)}); };`;
}

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
    // Tables of methods, states and characters, worked out at each start. A test holds that the
    // client asks for these two alone.
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
 * Says a client's error classes by one that makes them: ten lines for each of 35 of DynamoDB alone,
 * of which a function knows one. Fields of an error are set by the code that reads the answer, as
 * before.
 * @throws Error if a later version writes them in another way
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
      `${path} is written in another way than function-plugins.ts knows: ${classes.length} of ${exported} classes`,
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
 * Writes the keys of a client's schemas as they are, `{ [_hH]: 1 }` as `{ "httpHeader": 1 }`. A
 * bundler must assume that a computed key has an effect, so it keeps every schema, also those of
 * requests that are never made.
 * @throws Error if a key is none of the file's constants
 */
function literalKeys(source: string, path: string): string {
  const texts = new Map([...source.matchAll(/^const (\w+) = ("[^"\n]*");$/gm)].map(([, name, text]) => [name, text]));
  return source.replaceAll(/\[(\w+)\]:/g, (_key, name: string) => {
    const text = texts.get(name);
    if (text === undefined) throw new Error(`${path} has a key ${name} that function-plugins.ts does not know`);
    return `${text}:`;
  });
}

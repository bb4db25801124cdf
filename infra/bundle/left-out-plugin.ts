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
 * Half of an ordinary bundle, and a good part of its cold start, is code that never runs in a function. What is left out here throws if it is
 * ever reached; the stage tests run through these very bundles. A pattern that matches nothing any more fails a test.
 */
export const leftOut: readonly LeftOut[] = [
  { file: /undici\/lib\/llhttp\/llhttp-wasm\.js$/, because: 'Node 24 runs the parser with SIMD, on x64 and arm64' },
  { file: /undici\/lib\/dispatcher\/parser-h1\.js$/, because: 'the client asks for the other parser (useMilo: false)' },
  { file: /undici\/lib\/dispatcher\/client-h2\.js$/, because: 'the client speaks HTTP/1.1 (allowH2: false)' },
  { file: /undici\/lib\/web\/(?:fetch|webidl)\/[^/]+\.js$/, because: 'bodies are buffers; nobody fetches' },
  { file: /zod\/v4\/core\/json-schema-processors\.js$/, because: 'no function turns a schema into JSON Schema' },
  {
    file: /zod\/v4\/core\/to-json-schema\.js$/,
    because: 'no function turns a schema into JSON Schema',
    // Every schema asks for its methods when it is made; nobody calls them.
    instead:
      'const none = () => undefined; export { none as createToJSONSchemaMethod, none as createStandardJSONSchemaMethod, none as extractDefs, none as finalize, none as handleUnrepresentable, none as initializeContext, none as processSchema };',
  },
  {
    file: /@smithy\/core\/dist-es\/submodules\/event-streams\/EventStreamSerde\.js$/,
    because: 'no operation in use answers with a stream of events',
    instead: 'export const EventStreamSerde = undefined;',
  },
  {
    file: /@smithy\/core\/dist-es\/submodules\/event-streams\/eventstream-serde-universal\/EventStreamMarshaller\.js$/,
    because: 'no operation in use answers with a stream of events; the client of S3 makes a marshaller all the same',
    instead: 'export class EventStreamMarshaller {} export const eventStreamSerdeProvider = undefined;',
  },
  {
    file: /@smithy\/core\/dist-es\/submodules\/event-streams\/eventstream-codec\/EventStreamCodec\.js$/,
    because: 'no operation in use answers with a stream of events',
    instead: 'export const EventStreamCodec = undefined;',
  },
  {
    file: /middleware-s3-express\/classes\/S3ExpressIdentityProviderImpl\.js$/,
    because: 'for directory buckets, which keep no versions and tell nobody of uploads',
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

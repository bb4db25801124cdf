import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';

/** A part of a package that no function reaches, whole, and what stands in its place. */
export interface LeftOut {
  /** Its files, by their paths. */
  readonly files: RegExp;
  readonly because: string;
  /** The source that takes the place of each file. */
  readonly instead: string;
}

/**
 * Takes the place of a CommonJS file. Its parts can be named, extended and made, as package entries
 * do with what they export. A call throws.
 */
const outOfReach =
  "module.exports = new Proxy(class {}, { get: (target, name) => target[name] ?? module.exports, apply() { throw new Error('a part of undici that is not in the bundle: a function speaks HTTP/1.1 alone'); } });";

/**
 * All that is left out of the bundles. A pattern that matches no file any more fails a test. Each earns its place: a bundle of 945 kB is the bar.
 * Without the first it has 112 kB more, and a cold start takes 33 to 45 ms more of CPU. Without the second it has 498 kB and 21 to 61 ms more.
 * `npm run bench -- --only cold --only bundles` measured it with the entry taken out, on 28 November 2026.
 */
export const leftOut: readonly LeftOut[] = [
  {
    files: /@aws-sdk\/credential-provider-node\/dist-es\/index\.js$/,
    because:
      'Lambda hands its credentials over in the environment; profiles, SSO and metadata services are for other places',
    instead: "export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';",
  },
  {
    files:
      /undici\/lib\/(?:cache|interceptor|milo|mock|web)\/|undici\/lib\/(?:dispatcher\/(?:client-h2|socks5-proxy-agent)|llhttp\/llhttp-wasm)\.js$/,
    because:
      'a client of HTTP/1.1 reaches neither fetch, web sockets, caches, mocks, HTTP/2 and SOCKS, nor parsers other than that with SIMD',
    instead: outOfReach,
  },
];

/** Keeps what no function reaches out of the bundles. */
export const leftOutPlugin: Plugin = {
  name: 'left-out',
  setup(build) {
    for (const { files, instead } of leftOut) {
      build.onLoad({ filter: files }, ({ path }) => ({ contents: instead, loader: 'js', resolveDir: dirname(path) }));
    }
  },
};

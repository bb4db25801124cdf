/** What a bundler says went into one bundle, and its text. */
export interface BundleContents {
  /** By file, as in esbuild's metafile. */
  readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>;
  readonly code: string;
}

/** Below this a file is there by name only: what stands in for something left out says so in a sentence. */
const tokenBytes = 500;

/** What no bundle of a function has a use for, by the files that bring it. */
const unexpected: readonly (readonly [what: string, file: RegExp])[] = [
  ['locales of zod', /zod\/.*\/locales\/(?!en\b|index\b)/],
  ['HTTP/2 of undici', /undici\/lib\/dispatcher\/client-h2\.js$/],
  ['all of undici', /undici\/index\.js$/],
  ['fetch of undici', /undici\/lib\/web\/fetch\/index\.js$/],
  ['a parser without SIMD', /undici\/lib\/llhttp\/llhttp-wasm\.js$/],
  ['another HTTP client', /node_modules\/(?:axios|got|node-fetch|ky|superagent|needle|follow-redirects)\//],
  ['the CDK', /node_modules\/(?:aws-cdk-lib|constructs)\//],
  ['code of other rooms', /^(?:infra|gateway|local|cli|test)\//],
];

/** WebAssembly modules in a bundle, as text: one parser is what a client takes. */
const wasm = /AGFzbQEAAAA/g;

const builtinImport =
  /(?:^|[;}\n])\s*import\s*(?:[\w*{][^;'"]*from\s*)?["'](?:node:)?(?:http|https|http2|net|tls|crypto|fs|module|path|url|util|stream)["']/g;

/** Names each thing that a bundle should not hold, with what it weighs. */
export function unexpectedInputs({ inputs, code }: BundleContents): readonly string[] {
  const found = unexpected.flatMap(([what, file]) => {
    const bytes = Object.entries(inputs)
      .filter(([input, { bytesInOutput }]) => file.test(input) && bytesInOutput > tokenBytes)
      .reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0);
    return bytes === 0 ? [] : [`${what} (${Math.ceil(bytes / 1000)} KB)`];
  });
  const modules = code.match(wasm)?.length ?? 0;
  const imports = code.match(builtinImport)?.length ?? 0;
  return [
    ...found,
    ...(modules > 1 ? [`${modules} WebAssembly modules`] : []),
    ...(imports > 0 ? [`${imports} ESM imports of builtins`] : []),
  ];
}

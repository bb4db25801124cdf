/** What a bundler says went into one bundle, and its text. */
export interface BundleContents {
  /** What is loaded when the bundle is, as in esbuild's metafile. */
  readonly imports: readonly { readonly path: string; readonly kind: string }[];
  /** By file, as in esbuild's metafile. */
  readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>;
  readonly code: string;
}

/**
 * Below this a file is there by name only: what stands in for something left out says so in a
 * sentence.
 */
const tokenBytes = 500;

/** What no bundle of a function has a use for, by the files that bring it. */
const unexpected: readonly (readonly [what: string, file: RegExp])[] = [
  ['locales of zod', /zod\/.*\/locales\/(?!en\b|index\b)/],
  ['HTTP/2 of undici', /undici\/lib\/dispatcher\/client-h2\.js$/],
  ['fetch of undici', /undici\/lib\/web\/fetch\/index\.js$/],
  ['a parser without SIMD', /undici\/lib\/llhttp\/llhttp-wasm\.js$/],
  ['another HTTP client', /node_modules\/(?:axios|got|node-fetch|ky|superagent|needle|follow-redirects)\//],
  ['the CDK', /node_modules\/(?:aws-cdk-lib|constructs)\//],
  ['code of other rooms', /^(?:infra|gateway|local|cli|test)\//],
];

/** WebAssembly modules in a bundle, as text: one parser is what a client takes. */
const wasm = /AGFzbQEAAAA/g;

/** What loads a builtin as an ES module. */
const esmImports: ReadonlySet<string> = new Set(['import-statement', 'dynamic-import']);

/** Names each thing that a bundle should not hold, with what it weighs. */
export function unexpectedInputs({ inputs, imports, code }: BundleContents): readonly string[] {
  const found = unexpected.flatMap(([what, file]) => {
    const bytes = Object.entries(inputs)
      .filter(([input, { bytesInOutput }]) => file.test(input) && bytesInOutput > tokenBytes)
      .reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0);
    return bytes === 0 ? [] : [`${what} (${Math.ceil(bytes / 1000)} KB)`];
  });
  const modules = code.match(wasm)?.length ?? 0;
  const loaded = imports.filter(({ kind }) => esmImports.has(kind)).map(({ path }) => path);
  return [
    ...found,
    ...(modules > 1 ? [`${modules} WebAssembly modules`] : []),
    ...(loaded.length > 0 ? [`ESM imports of builtins (${loaded.join(', ')})`] : []),
  ];
}

import { expect, test } from 'vitest';
import { unexpectedInputs } from '../../bench/rows/unexpected-inputs.ts';

const clean = {
  inputs: {
    'node_modules/zod/v4/core/schemas.js': { bytesInOutput: 25_000 },
    'node_modules/zod/v4/locales/en.js': { bytesInOutput: 3000 },
    'node_modules/undici/lib/dispatcher/client-h2.js': { bytesInOutput: 180 },
    'node-builtin:node:http': { bytesInOutput: 60 },
  },
  imports: [{ path: 'node:http', kind: 'require-call' }],
  code: 'var a=process.getBuiltinModule("node:http");var wasm="AGFzbQEAAAABJwdgAX8Bf2";',
};

test('what a function needs is no surprise, nor is a sentence in place of what was left out', () => {
  expect(unexpectedInputs(clean)).toEqual([]);
});

test.each([
  ['node_modules/zod/v4/locales/de.js', 'locales of zod'],
  ['node_modules/undici/lib/dispatcher/client-h2.js', 'HTTP/2 of undici'],
  ['node_modules/undici/lib/web/fetch/index.js', 'fetch of undici'],
  ['node_modules/undici/lib/llhttp/llhttp-wasm.js', 'a parser without SIMD'],
  ['node_modules/axios/index.js', 'another HTTP client'],
  ['test/chaos/judge/evidence.ts', 'code of other rooms'],
])('%s is named', (file, what) => {
  const inputs = { ...clean.inputs, [file]: { bytesInOutput: 30_500 } };

  expect(unexpectedInputs({ ...clean, inputs })).toEqual([`${what} (31 KB)`]);
});

test('a second WebAssembly module is counted', () => {
  expect(unexpectedInputs({ ...clean, code: `${clean.code}var more="AGFzbQEAAAABJwdgAX8Bf2";` })).toEqual([
    '2 WebAssembly modules',
  ]);
});

test.each(['import-statement', 'dynamic-import'])('a builtin that is loaded by an %s is named', (kind) => {
  const imports = [...clean.imports, { path: 'node:https', kind }];

  expect(unexpectedInputs({ ...clean, imports })).toEqual(['ESM imports of builtins (node:https)']);
});

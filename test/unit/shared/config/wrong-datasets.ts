import type { WrongThing } from './wrong-structure.ts';

/** Of rules for datasets: what is sent, and which fields it has. */
export const wrongDatasets: readonly WrongThing[] = [
  [
    'a scanner version as a text',
    'datasets[0].scannerVersions',
    '2026-02',
    /^datasets\[0\]\.scannerVersions: is "2026-02" .*a list is wanted, such as \['2026-02'\]$/,
  ],
  [
    'a rule that does not say what is sent',
    'datasets[0].send',
    undefined,
    /^datasets\[0\]: does not say what is sent: write send: 'file' .*or fileId or sidecar/,
  ],
  [
    'a fileId of a rule that sends the file',
    'datasets[0].fileId',
    '{stem}',
    /^datasets\[0\]\.fileId: is the id of a file that the gateway has, and send: 'file' needs none/,
  ],
  [
    'a mapping without a conversion',
    'datasets[1]',
    { prefix: 'datasets/ids/', send: 'file', promptColumn: 'text' },
    /^datasets\[1\]\.promptColumn: needs convert: true beside it/,
  ],
  [
    'an unknown encoding',
    'datasets[1]',
    { prefix: 'datasets/ids/', send: 'file', check: 'prompt-label-csv', convert: true, encoding: 'klingon' },
    /^datasets\[1\]\.encoding: "klingon" is not an encoding that is known/,
  ],
  [
    'a conversion of a rule that sends no file',
    'datasets[1]',
    { prefix: 'datasets/ids/', fileId: '{stem}', check: 'prompt-label-csv', convert: true },
    /^datasets\[1\]\.convert: is for send: 'file' only/,
  ],
  [
    'one label for all rows beside a column of labels',
    'datasets[1]',
    { prefix: 'datasets/ids/', send: 'file', check: 'prompt-label-csv', convert: true, label: true, labelColumn: 'x' },
    /^datasets\[1\]\.label: is the label of all rows/,
  ],
  [
    'an end of a name without a dot',
    'datasets[1]',
    { prefix: 'datasets/ids/', send: 'file', only: ['csv'] },
    /^datasets\[1\]\.only\[0\]: is no end of a name/,
  ],
  [
    'a largest file of a rule that sends none',
    'datasets[1]',
    { prefix: 'datasets/ids/', fileId: '{stem}', maxBytes: 5_000_000 },
    /^datasets\[1\]\.maxBytes: is for send: 'file' only/,
  ],
  [
    'a larger file than the function has memory for',
    'datasets[0].maxBytes',
    15_000_001,
    /^datasets\[0\]\.maxBytes: is 15000001; a whole number of bytes from 1 to 15000000 is wanted/,
  ],
  [
    'a locked fileId that the rule does not give',
    'datasets[1]',
    { prefix: 'datasets/locked/', send: 'reference', locked: ['fileId'] },
    /^datasets\[1\]\.locked: locks fileId, and the rule gives none/m,
  ],
  ['a locked field that no dataset has', 'datasets[0].locked', ['scanner'], /^datasets\[0\]\.locked\[0\]: /m],
  [
    'a wait for a sidecar that is not required',
    'datasets[0].sidecarWithin',
    '1 hour',
    /^datasets\[0\]\.sidecarWithin: .*none is required/,
  ],
];

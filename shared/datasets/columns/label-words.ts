/** A label that the check `prompt-label-csv` takes as it stands, and whether it says that the prompt should be blocked. */
export const exactLabels: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);
export const exactLabelsInWords = 'true, false, 1 or 0';

/**
 * The truth values of spreadsheets in other languages. Excel shows and saves them in its own language: support.microsoft.com, "TRUE function" and
 * "FALSE function", in the edition of the language. For French and Dutch: wiki.openoffice.org, "FR/Documentation/Calc: fonction VRAI" and
 * "NL/Documentation/How Tos/Calc: functie ONWAAR", section "Voorbeeld".
 */
const spreadsheetLabels: readonly (readonly [language: string, yes: string, no: string])[] = [
  ['de', 'wahr', 'falsch'],
  ['fr', 'vrai', 'faux'],
  ['es', 'verdadero', 'falso'],
  ['it', 'vero', 'falso'],
  ['pt', 'verdadeiro', 'falso'],
  ['nl', 'waar', 'onwaar'],
];

/** What a conversion reads beside those, in any case and with spaces around. */
const readLabels: ReadonlyMap<string, boolean> = new Map([
  ...exactLabels,
  ['yes', true],
  ['no', false],
  // pandas writes numbers so if one label of the column is missing.
  ['1.0', true],
  ['0.0', false],
  ...spreadsheetLabels.flatMap(([, yes, no]): [string, boolean][] => [
    [yes, true],
    [no, false],
  ]),
]);
export const readLabelsInWords = 'true, false, 1, 0, yes or no';

/** Reads a label as people and spreadsheets write it. */
export function readLabel(text: string): boolean | undefined {
  return readLabels.get(text.trim().toLowerCase());
}

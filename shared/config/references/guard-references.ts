import { type ConfigProblem, formatPath } from '../names.ts';
import { didYouMean } from '../../text/did-you-mean.ts';
import type { ItemOutline, Outline } from '../schema/outline.ts';

/**
 * What takes two places to see about guards: campaigns whose reading back needs an id, blackouts
 * and the campaigns that they are about.
 */
export function guardProblems({ campaigns, blackouts }: Outline): ConfigProblem[] {
  const known = campaigns.map(({ name }) => name);
  const names = blackouts.map((blackout) => blackout.text('name')?.text);
  return [
    ...campaigns.flatMap(campaignProblems),
    ...campaigns.flatMap((campaign, index) => sharedIdProblems(campaign, campaigns.slice(0, index))),
    ...blackouts.flatMap(windowProblems),
    ...blackouts.flatMap(({ campaigns: named }) =>
      named
        .filter(({ text }) => !known.includes(text))
        .map(({ path, text }) =>
          at(path, `"${text}" is no campaign${didYouMean(text, known)} (known: ${known.join(', ') || 'none'})`),
        ),
    ),
    ...blackouts.flatMap(({ path }, index) =>
      names[index] !== undefined && names.indexOf(names[index]) < index
        ? [at([...path, 'name'], `"${names[index]}" names another blackout already.`)]
        : [],
    ),
  ];
}

type NamedItem = Outline['campaigns'][number];

/**
 * Whether a start without an answer began is read from its campaign: the starts that may have moved
 * that one stand in one guard row.
 */
function sharedIdProblems(campaign: NamedItem, earlier: readonly NamedItem[]): ConfigProblem[] {
  const id = campaign.text('campaignId');
  const targetOf = (item: NamedItem) => item.text('target')?.text ?? item.name;
  const other = earlier.find((item) => item.text('campaignId')?.text === id?.text);
  if (id === undefined || other === undefined || targetOf(other) === targetOf(campaign)) return [];
  return [at(id.path, `is the campaignId of ${other.name} too: give both campaigns the same target.`)];
}

function campaignProblems({ path, keys }: ItemOutline): ConfigProblem[] {
  const problems = ['minimumGap', 'confirm']
    .filter((key) => keys.has(key) && !keys.has('campaignId'))
    .map((key) => at([...path, key], 'is read back from the campaign: write its campaignId too.'));
  if (!keys.has('confirmWithin') || keys.has('confirm')) return problems;
  return [
    ...problems,
    at([...path, 'confirmWithin'], 'says how long a confirmation may take, and none is looked for: write confirm.'),
  ];
}

function windowProblems(blackout: ItemOutline): ConfigProblem[] {
  const { path, keys } = blackout;
  const [once, again] = [
    ['from', 'to'],
    ['at', 'lasts'],
  ].map((pair) => pair.filter((key) => keys.has(key)));
  if (once?.length === 2 && again?.length === 0) return orderProblems(blackout);
  if (once?.length === 0 && again?.length === 2) return [];
  return [at(path, 'needs from and to (once), or at and lasts (again and again).')];
}

/** Both are times of one zone, and their digits sort as they do. */
function orderProblems(blackout: ItemOutline): ConfigProblem[] {
  const [from, to] = [blackout.text('from'), blackout.text('to')];
  if (from === undefined || to === undefined || from.text < to.text) return [];
  return [at(to.path, `${to.text} is not after ${from.text}.`)];
}

function at(path: readonly PropertyKey[], message: string): ConfigProblem {
  return { path: formatPath(path), message };
}

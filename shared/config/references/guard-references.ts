import { type ConfigProblem, formatPath } from '../names.ts';
import { didYouMean } from '../../text/did-you-mean.ts';
import type { ItemOutline, Outline, PlacedText } from '../schema/outline.ts';

/**
 * What takes two places to see about guards: campaigns that are read by their id, blackouts and
 * the campaigns that they are about.
 */
export function guardProblems({ campaigns, blackouts }: Outline): ConfigProblem[] {
  const known = campaigns.map(({ name }) => name);
  const names = blackouts.map((blackout) => blackout.text('name')?.text);
  return [
    ...campaigns.flatMap(campaignProblems),
    ...campaigns.flatMap((campaign, index) => sharedIdProblems(campaign, campaigns.slice(0, index))),
    ...alarmProblems(campaigns),
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

/** The minimum gap counts the starts of a campaign at the gateway, and they stand in the row of one target. */
function sharedIdProblems(campaign: NamedItem, earlier: readonly NamedItem[]): ConfigProblem[] {
  const id = campaign.text('campaignId');
  const targetOf = (item: NamedItem) => item.text('target')?.text ?? item.name;
  const other = earlier.find((item) => item.text('campaignId')?.text === id?.text);
  if (id === undefined || other === undefined || targetOf(other) === targetOf(campaign)) return [];
  return [at(id.path, `is the campaignId of ${other.name} too: give both campaigns the same target.`)];
}

/** The account and the region of an ARN. */
const placeOf = ({ text }: PlacedText) => text.split(':').slice(3, 5).toReversed().join(' in ');

/** A stage follows the alarms of its own account and region, so all of them are of one. */
function alarmProblems(campaigns: readonly NamedItem[]): ConfigProblem[] {
  const alarms = campaigns.flatMap((item) => item.alarms);
  const [first] = alarms;
  if (first === undefined) return [];
  const others = alarms.filter((one) => placeOf(one) !== placeOf(first));
  const message = `: a stage follows those of its own account and region, and ${first.text} is of ${placeOf(first)}.`;
  return others.map((one) => at(one.path, `is an alarm of account ${placeOf(one)}${message}`));
}

function campaignProblems({ path, keys, isFalse }: ItemOutline): ConfigProblem[] {
  const reading = isFalse('confirm') ? ['minimumGap'] : ['minimumGap', 'confirm', 'confirmWithin'];
  const problems = reading
    .filter((key) => keys.has(key) && !keys.has('campaignId'))
    .map((key) => at([...path, key], 'is read from the campaign: write its campaignId too.'));
  if (!keys.has('confirmWithin') || !isFalse('confirm')) return problems;
  return [
    ...problems,
    at(
      [...path, 'confirmWithin'],
      'says how long a confirmation may take, and confirm is false: leave one of them out.',
    ),
  ];
}

function windowProblems(blackout: ItemOutline): ConfigProblem[] {
  const { path, keys } = blackout;
  const ways = [['from', 'to'], ['at', 'lasts'], ['dates'], ['calendar']].filter((way) =>
    way.some((key) => keys.has(key)),
  );
  const [way] = ways;
  if (ways.length === 1 && way?.every((key) => keys.has(key)) === true) return orderProblems(blackout);
  return [
    at(
      path,
      'needs from and to (once), at and lasts (again and again), dates (whole days), or calendar: one of the four.',
    ),
  ];
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

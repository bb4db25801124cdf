import { type ConfigProblem, problemAt, problemsIf } from '../schema/names.ts';
import { didYouMean } from '../../text/did-you-mean.ts';
import { type Item, itemsAt, type ConfigPlace, type PlacedText, textsAt, valuesAt } from '../schema/outline.ts';

/**
 * What takes two places to see about guards: campaigns that are read by their id, blackouts and
 * the campaigns that they are about.
 */
export function guardProblems(root: ConfigPlace): ConfigProblem[] {
  const campaigns = itemsAt(root, 'campaigns.*');
  const blackouts = itemsAt(root, 'blackouts.#');
  const known = campaigns.map(({ name }) => name);
  const names = blackouts.map((blackout) => blackout.text('name')?.text);
  return [
    ...campaigns.flatMap(campaignProblems),
    ...campaigns.flatMap((campaign, index) => sharedIdProblems(campaign, campaigns.slice(0, index))),
    ...alarmProblems(textsAt(root, 'campaigns.*.haltOn.#')),
    ...blackouts.flatMap(windowProblems),
    ...textsAt(root, 'blackouts.#.campaigns.#').flatMap(({ path, text }) => {
      const what = `"${text}" is no campaign${didYouMean(text, known)} (known: ${known.join(', ') || 'none'})`;
      return problemsIf(!known.includes(text), path, what);
    }),
    ...blackouts.flatMap(({ path }, index) => {
      const isTaken = names[index] !== undefined && names.indexOf(names[index]) < index;
      return problemsIf(isTaken, [...path, 'name'], `"${names[index]}" names another blackout already.`);
    }),
  ];
}

/** The minimum gap counts the starts of a campaign at the gateway, and they stand in the row of one target. */
function sharedIdProblems(campaign: Item, earlier: readonly Item[]): ConfigProblem[] {
  const id = campaign.text('campaignId');
  const other = earlier.find((item) => item.text('campaignId')?.text === id?.text);
  if (id === undefined || other === undefined || targetOf(other) === targetOf(campaign)) return [];
  return [problemAt(id.path, `is the campaignId of ${other.name} too: give both campaigns the same target.`)];
}

const targetOf = (item: Item) => item.text('target')?.text ?? item.name;

/** The account and the region of an ARN. */
const placeOf = ({ text }: PlacedText) => text.split(':').slice(3, 5).toReversed().join(' in ');

/** A stage follows the alarms of its own account and region, so all of them are of one. */
function alarmProblems(alarms: readonly PlacedText[]): ConfigProblem[] {
  const [first] = alarms;
  if (first === undefined) return [];
  const others = alarms.filter((one) => placeOf(one) !== placeOf(first));
  const message = `: a stage follows those of its own account and region, and ${first.text} is of ${placeOf(first)}.`;
  return others.map((one) => problemAt(one.path, `is an alarm of account ${placeOf(one)}${message}`));
}

function campaignProblems(campaign: Item): ConfigProblem[] {
  const { path, has } = campaign;
  const isUnconfirmed = valuesAt(campaign, 'confirm')[0]?.value === false;
  const reading = isUnconfirmed ? ['minimumGap'] : ['minimumGap', 'confirm', 'confirmWithin'];
  return [
    ...reading.flatMap((key) =>
      problemsIf(
        has(key) && !has('campaignId'),
        [...path, key],
        'is read from the campaign: write its campaignId too.',
      ),
    ),
    ...problemsIf(
      isUnconfirmed && has('confirmWithin'),
      [...path, 'confirmWithin'],
      'says how long a confirmation may take, and confirm is false: leave one of them out.',
    ),
  ];
}

function windowProblems({ path, has, text }: Item): ConfigProblem[] {
  const ways = [['from', 'to'], ['at', 'lasts'], ['dates'], ['calendar']].filter((way) => way.some(has));
  if (ways.length !== 1 || ways[0]?.every(has) !== true) {
    const message =
      'needs from and to (once), at and lasts (again and again), dates (whole days), or calendar: one of the four.';
    return [problemAt(path, message)];
  }
  // Both are times of one zone, and their digits sort as they do.
  const [from, to] = [text('from'), text('to')];
  if (from === undefined || to === undefined || from.text < to.text) return [];
  return [problemAt(to.path, `${to.text} is not after ${from.text}.`)];
}

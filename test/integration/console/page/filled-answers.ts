/** Fields with words of the product's own: only its own code writes them. */
const ownWords = new Set(
  [
    'action begun by comparable decision effect gate isChanged kind mode outcome scope state tone verdict way',
    'starts uploadedAt guard guards notJudged method column severity skipped confirm element',
  ].flatMap((line) => line.split(' ')),
);

/** Words in a list of the product's own. */
const ownLists = /\.(?:decisions|guards|notJudged|command)\[\d+\]$/;

/**
 * An answer with a text of the test's own in every place that holds a text of others.
 * @param textAt - the text of a place, such as `now.parked[0].detail`
 */
export function filled(value: unknown, place: string, textAt: (place: string) => string): unknown {
  if (Array.isArray(value)) return value.map((element, index) => filled(element, `${place}[${index}]`, textAt));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => {
        const isOwn = typeof field === 'string' && ownWords.has(name) && !isPerson(place, name);
        return [name, isOwn ? field : filled(field, `${place}.${name}`, textAt)];
      }),
    );
  }
  return typeof value === 'string' && !ownLists.test(place) ? textAt(place) : value;
}

/** `by` is a field of the gateway in a confirmation, and a person elsewhere; what asked has a kind that others may write. */
function isPerson(place: string, name: string): boolean {
  return name === 'by' && !place.endsWith('.confirmation');
}

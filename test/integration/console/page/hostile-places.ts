/** A text of others for each place of an answer that takes one: it names its place, so that a test sees where it is shown. */
import type { Page } from 'playwright-core';
import { nowText } from './facts.ts';
import { hostile as hostileText } from './run-facts.ts';

/** What would leave an attribute, a link, a path or a query, beside the usual. */
export const hostile = `${hostileText}"'&?#%2F..`;

const hour = 3_600_000;
const after = (hours: number) => new Date(Date.parse(nowText) + hours * hour).toISOString();

/** Fields that hold an instant: the product's own code writes them. */
const isInstant =
  /\.(?:at|from|to|until|since|oldest|newest|schedules\[\d+\]\.next|nextStart|nextBefore|notBefore|eventTime|\w+At|\w+Until|\w+Since)$/;
const isAhead = /\.(?:to|until|next\w*|\w+Until|endsAt|endedAt|stopDueAt|notBefore|cutAt)$|\.planned\b/;

/** @param place - such as `now.parked[0].detail` */
export function textAt(place: string): string {
  if (place.endsWith('.timezone')) return 'Europe/Dublin';
  if (place.endsWith('.now') || place.endsWith('.asOf')) return nowText;
  if (isInstant.test(place)) return after(isAhead.test(place) ? 2 : -2);
  return `${hostile} ⟦${place}⟧`;
}

/** The places whose texts stand in a text. */
export function placesIn(text: string): readonly string[] {
  return [...text.matchAll(/⟦([^⟧]+)⟧/g)].map(([, place = '']) => place);
}

/** What a person reads or hears of a page, and its elements that are no text: those that load, run or frame something, or hear an event. */
export async function readPage(page: Page): Promise<{ readonly text: string; readonly others: readonly string[] }> {
  return page.evaluate(() => {
    const heard = ['title', 'aria-label', 'aria-description', 'alt', 'placeholder', 'download'];
    const elements = [...document.querySelectorAll('*')];
    const attributes = elements.flatMap((each) => heard.map((name) => each.getAttribute(name) ?? ''));
    const others = elements.filter(
      (each) =>
        /^(?:img|script|iframe|object|embed|base|link)$/.test(each.localName) ||
        each.getAttributeNames().some((name) => name.startsWith('on')),
    );
    return {
      text: [document.body.textContent, document.title, ...attributes].join('\n'),
      others: others.map(({ outerHTML }) => outerHTML),
    };
  });
}

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
 * @param fill - the text of a place, such as `now.parked[0].detail`
 */
export function filled(value: unknown, place: string, fill: (place: string) => string): unknown {
  if (Array.isArray(value)) return value.map((element, index) => filled(element, `${place}[${index}]`, fill));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => {
        const isOwn = typeof field === 'string' && ownWords.has(name) && !isPerson(place, name);
        return [name, isOwn ? field : filled(field, `${place}.${name}`, fill)];
      }),
    );
  }
  return typeof value === 'string' && !ownLists.test(place) ? fill(place) : value;
}

/** `by` is a field of the gateway in a confirmation, and a person elsewhere; what asked has a kind that others may write. */
function isPerson(place: string, name: string): boolean {
  return name === 'by' && !place.endsWith('.confirmation');
}

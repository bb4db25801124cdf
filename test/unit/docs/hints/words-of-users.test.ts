import { expect, test } from 'vitest';
import { textsInSources, textsOfPages } from './collect-texts.ts';

/** What users saw in November 2026, and the plain word for it. */
const left: readonly (readonly [plain: string, left: RegExp])[] = [
  ['you, needs attention, nothing to do', /\bno person\b|\bwaits? for a person\b/],
  ['deferred; blocked', /\bput off\b|\bheld back\b/],
  ['no answer yet', /\bin doubt\b/],
  ['the gateway connection is ok, down or paused', /\bthe gate (?:is|closes|opens)\b/],
  ['time; has ended; automatically; in the meantime', /\binstants?\b|\b(?:ends|ended|end) by itself\b|\bmeanwhile\b/],
  ['stops at', /\bstop is due\b/],
  ['result', /\bwhat (?:became|came) of\b/],
  ['run ids and budgets; schedules that started nothing', /\bsupplies\b|\bsilent schedules?\b/],
  ['retrying; recent; needs attention', /tried, no outcome yet|\bended last\b|\bto do first\b/],
  ['reason; requested by', /\basked because\b|, asked by\b/],
  ['is not a duration, for example 90s, 2h or 3d', /\bno duration\b/],
  ['the verb itself; Cancel', /\bDo it\b|'Leave it'/],
  ['item', /\bthe handle\b|\bkey of the ledger\b/],
  ['no expiry date set', /\bno expiry written\b/],
  ['see gateway', /\bas said of the gateway\b/],
];

/** What the command and the console print, and the guides. A reference of fields says `instant` for a type. */
const rooms = /^(?:cli|operator|console|docs(?!\/reference)|shared\/(?:vocabulary|text))\//;
const seen = async () =>
  [...(await textsInSources()), ...textsOfPages()].filter(
    ({ text, place }) => /\s/.test(text.trim()) && rooms.test(place),
  );

test.each(left)('users read "%s", and no older word for it', async (_plain, word) => {
  const found = (await seen()).filter(({ text }) => word.test(text)).map(({ place }) => place);

  expect(found).toEqual([]);
});

test('no sentence has two semicolons', async () => {
  const texts = (await seen()).filter(
    ({ place }) => /^(?:cli|operator|shared)\//.test(place) && !/\.html|html-file/.test(place),
  );
  const found = texts.filter(({ text }) =>
    text.split(/[.\n] /).some((sentence) => (sentence.match(/; /g) ?? []).length > 1),
  );

  expect(found.map(({ place }) => place)).toEqual([]);
});

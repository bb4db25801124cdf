import { expect, test } from 'vitest';
import { closestWord } from '#shared/text/did-you-mean.ts';

const known = ['start', 'stop', 'at', 'validFor', 'startDelay'];

test.each([
  ['validfor', 'validFor'],
  ['vaildFor', 'validFor'],
  ['startdelay', 'startDelay'],
  ['strat', 'start'],
  ['stopp', 'stop'],
])('finds what "%s" was meant to be', (word, meant) => {
  expect(closestWord(word, known)).toBe(meant);
});

test.each(['cron', 'x', '', 'everySecondTuesday'])('guesses nothing for "%s"', (word) => {
  expect(closestWord(word, known)).toBeUndefined();
});

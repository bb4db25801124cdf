import { expect, test } from 'vitest';
import { closestWord, didYouMean } from '#shared/text/did-you-mean.ts';

const known = ['start', 'stop', 'at', 'validFor', 'startDelay'];

test.each([
  ['validfor', 'validFor'],
  ['vaildFor', 'validFor'],
  ['startdelay', 'startDelay'],
  ['strat', 'start'],
  ['stopp', 'stop'],
  ['va', 'validFor'],
])('finds what "%s" was meant to be', (word, meant) => {
  expect(closestWord(word, known)).toBe(meant);
});

test.each(['cron', 's', 'x', '', 'everySecondTuesday'])('guesses nothing for "%s"', (word) => {
  expect(closestWord(word, known)).toBeUndefined();
});

test('guesses for a word of up to 64 letters', () => {
  const [longest, longer] = ['a'.repeat(64), 'a'.repeat(65)];

  expect(closestWord(longest, [longer])).toBe(longer);
  expect(closestWord(longer, [longest])).toBeUndefined();
});

test('the question follows its sentence after a semicolon or a colon', () => {
  expect(didYouMean('stopp', known)).toBe('; did you mean "stop"?');
  expect(didYouMean('stopp', known, ':')).toBe(': did you mean "stop"?');
  expect(didYouMean('cron', known)).toBe('');
});

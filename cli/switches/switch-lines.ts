import type { Switched, SwitchSubject } from '#shared/ledger/switches.ts';
import type { Paint } from '../terminal/output.ts';
import { heldBack, saidBy, stateWords, switchTitle } from '#operator/switches/switches.ts';

/** What was switched, or was already so. */
export function switchLines(
  subject: SwitchSubject,
  { before, row, isChanged }: Switched,
  { isOn, now }: { readonly isOn: boolean; readonly now: Date },
  paint: Paint,
): readonly string[] {
  if (isOn) {
    const head = `${paint('red', stateWords(subject))}${isChanged ? '' : ' already'}: ${heldBack(subject)}`;
    return [head, ...(isChanged || row === undefined ? [] : [`  ${saidBy(row, now)}; left as it is`])];
  }
  const word = subject.scope === 'stage' ? 'thawed' : `resumed ${switchTitle(subject)}`;
  if (!isChanged)
    return [`${switchTitle(subject)} is not ${subject.scope === 'stage' ? 'frozen' : 'paused'}: left as it is`];
  return [
    `${paint('green', word)}: starts are judged by the other guards again; those that were skipped meanwhile stay skipped`,
    ...(before === undefined ? [] : [`  it was switched ${saidBy(before, now)}`]),
  ];
}

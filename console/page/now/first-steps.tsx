import { Panel } from '../frame/answer.tsx';
import { linkTo, route, type Screen } from '../connection/route.ts';
import { cli, CommandLine } from '../words/outcome.tsx';

const steps: readonly (readonly [screen: Screen, link: string, says: string, words: readonly string[]])[] = [
  ['doctor', 'Examine the stage', 'Do the gateway, the token and every worker answer?', ['doctor']],
  ['calendar', 'See what comes', 'What would start in the next 14 days, and what would be skipped?', ['plan']],
  ['uploads', 'Check a file', 'Would the gateway read your prompts, in FILE? Nothing is sent.', ['check', 'FILE']],
];

/** Three things to do in the first minute. Each changes nothing. */
export function FirstSteps() {
  return (
    <Panel title="First steps">
      <ol class="todo">
        {steps.map(([screen, link, says, words]) => (
          <li key={screen}>
            <span class="says">
              <a href={linkTo(route.value.stage, screen)}>{link}</a> {says}
            </span>
            <CommandLine line={cli(...words)} />
          </li>
        ))}
      </ol>
    </Panel>
  );
}

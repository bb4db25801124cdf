import type { DoctorAnswer } from '../../api.ts';
import { stagePath } from '../connection/ask.ts';
import { useAnswer } from '../connection/use-answer.ts';
import { Answer, Nothing, Panel } from '../frame/answer.tsx';
import { route } from '../connection/route.ts';
import { Findings } from '../now/findings.tsx';
import { cli, CommandLine } from '../words/outcome.tsx';

/** Is the gateway down, or are we? It asks every worker and the gateway once, when it is opened. */
export function DoctorScreen() {
  const asked = useAnswer<DoctorAnswer>(stagePath(route.value.stage, 'doctor'));
  return (
    <>
      <p class="buttons">
        <button type="button" onClick={asked.reload} disabled={asked.isLoading}>
          Examine again
        </button>
        <CommandLine line={cli('doctor')} />
      </p>
      <Answer asked={asked}>{({ examined }) => <Examined examined={examined} />}</Answer>
    </>
  );
}

/** What is wrong first, then what could not be looked at; what passed is folded. */
function Examined({ examined }: Pick<DoctorAnswer, 'examined'>) {
  const all = examined.flatMap(({ findings }) => findings);
  const wrong = (['problem', 'warning'] as const).flatMap((state) => all.filter((each) => each.state === state));
  const unknown = all.filter(({ state }) => state === 'unknown');
  const passed = all.filter(({ state }) => state === 'ok');
  return (
    <>
      {wrong.length === 0 ? (
        <Nothing>Nothing needs attention.</Nothing>
      ) : (
        <Panel title="Needs attention" count={wrong.filter(({ causedBy }) => causedBy === undefined).length}>
          <Findings findings={wrong} />
        </Panel>
      )}
      {unknown.length === 0 ? null : (
        <details>
          <summary>{unknown.length} not looked at</summary>
          <Findings findings={unknown} />
        </details>
      )}
      <details>
        <summary>{passed.length} checks passed</summary>
        <Findings findings={passed} />
      </details>
    </>
  );
}

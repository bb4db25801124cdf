import type { SettingsAnswer } from '../../api.ts';
import { stagePath } from '../connection/ask.ts';
import { useAnswer } from '../connection/use-answer.ts';
import { Answer, Panel, ProblemNotes, Table } from '../frame/answer.tsx';
import { route } from '../connection/route.ts';
import { Badge, Lines } from '../words/outcome.tsx';
import { Instant, Sentence } from '../words/time.tsx';

/** The configuration that the stage is judged by, as deployed: what it does, in words, and as it is. Nothing is changed here. */
export function SettingsScreen() {
  const asked = useAnswer<SettingsAnswer>(stagePath(route.value.stage, 'settings'));
  return (
    <>
      <Answer asked={asked}>
        {({ config, table, timezone, schedules, problems }) => (
          <>
            <ProblemNotes problems={problems} />
            <p class="dim">
              As deployed. Time zone of the stage: {timezone ?? 'not known'}. It changes with a deployment only.
            </p>
            {schedules === undefined ? null : <Schedules schedules={schedules} />}
            {[...Map.groupBy(table, ({ part }) => part)].map(([part, rows]) => (
              <Panel key={part} title={part} count={rows.length}>
                <Table label={part} head={['name', 'what it does']}>
                  {rows.map(({ name, does }) => (
                    <tr key={name}>
                      <th scope="row">{name}</th>
                      <td class="words">
                        <Does text={does} />
                      </td>
                    </tr>
                  ))}
                </Table>
              </Panel>
            ))}
            <details>
              <summary>The configuration as JSON</summary>
              <Lines text={JSON.stringify(config, null, 2)} />
            </details>
          </>
        )}
      </Answer>
    </>
  );
}

/** Each sentence on a line of its own. */
function Does({ text }: { readonly text: string }) {
  return (
    <ul class="plain">
      {text.split('; ').map((sentence) => (
        <li key={sentence}>
          <Sentence text={sentence} />
        </li>
      ))}
    </ul>
  );
}

/** What a schedule without a command does, by its name. */
function workOf(name: string): string {
  const [kind, of] = name.split(/\.(.*)/);
  if (kind === 'scanner-packages' && of !== undefined) return `watches the scanner packages ${of}`;
  if (kind === 'projects' && of !== undefined) return `watches the project ${of}`;
  return works[name] ?? 'wakes a worker of the stage';
}

const works: Readonly<Record<string, string>> = {
  'watch-campaigns': 'looks at the campaigns, and sends the stops that are due',
  'reconcile-ledger': 'looks for uploads and starts that were missed',
};

/** Every deployed schedule: what it does and when it fires next, by its own zone's expression. */
function Schedules({ schedules }: { readonly schedules: NonNullable<SettingsAnswer['schedules']> }) {
  return (
    <Panel title="Schedules" count={schedules.length}>
      <Table label="Schedules" head={['name', 'what it does', 'when', 'next']}>
        {schedules.map(({ name, action, run, expression, timezone, isEnabled, next }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td class="words">{action === undefined ? workOf(name) : `${action} ${run ?? ''}`}</td>
            <td>
              <code>{expression}</code> <span class="dim">{timezone}</span>
            </td>
            <td>
              {!isEnabled ? <Badge tone="warn">disabled</Badge> : next === undefined ? '–' : <Instant at={next} />}
            </td>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}

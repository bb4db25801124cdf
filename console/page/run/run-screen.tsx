import type { RunAnswer } from '../../api.ts';
import { stagePath } from '../connection/ask.ts';
import { useAnswer } from '../connection/use-answer.ts';
import { Answer, Nothing, Panel, Table } from '../frame/answer.tsx';
import { route } from '../frame/route.ts';
import { HistoryTable } from '../history/history-screen.tsx';
import { cli, CommandLine, Lines, OutcomeWord } from '../words/outcome.tsx';
import { Sentence } from '../words/time.tsx';
import { Story } from './story.tsx';

type Evidence = RunAnswer['evidence'];
type Course = NonNullable<Evidence['course']>;

/** Evidence asks the gateway, so only a start that goes on is followed. */
function goesOn({ evidence: { start, course } }: RunAnswer): boolean {
  const { outcome } = start.command;
  return outcome === 'under way' || outcome === 'deferred' || course?.end.kind === 'in-flight';
}

/** The story of one start: who asked, what each guard said, what was sent, whether it ran, when and by what it ended, and what changed meanwhile. */
export function RunScreen() {
  const { stage, subject } = route.value;
  const asked = useAnswer<RunAnswer>(subject === undefined ? undefined : stagePath(stage, 'runs', subject), {
    isFollowed: goesOn,
  });
  if (subject === undefined) return <Nothing>Choose a start in the calendar or the history.</Nothing>;
  return (
    <Answer asked={asked}>
      {({ evidence, markdown, html }) => (
        <>
          <p class="lead">
            <strong>{evidence.run ?? evidence.campaignRunId}</strong>{' '}
            <span class="dim">
              {evidence.campaign} {evidence.campaignRunId}
            </span>{' '}
            <OutcomeWord outcome={evidence.start.command.outcome} reason={evidence.start.command.reason} />
          </p>
          {evidence.start.command.detail === undefined ? null : (
            <p class="words">
              <Sentence text={evidence.start.command.detail} />
            </p>
          )}
          <Story evidence={evidence} />
          <Guards verdicts={evidence.start.verdicts} />
          {evidence.course === undefined ? null : <Afterwards course={evidence.course} />}
          <Document markdown={markdown} html={html} name={`evidence-${subject}`} />
          <CommandLine line={cli('evidence', subject)} />
        </>
      )}
    </Answer>
  );
}

function Guards({ verdicts }: { readonly verdicts: Evidence['start']['verdicts'] }) {
  return (
    <Panel title="Guards" count={verdicts?.length}>
      {verdicts === undefined || verdicts.length === 0 ? (
        <Nothing>No verdict of a guard is kept for this start.</Nothing>
      ) : (
        <Table label="Guards" head={['guard', 'verdict', 'what it said']}>
          {verdicts.map(({ guard, verdict, detail }) => (
            <tr key={guard}>
              <th scope="row">{guard}</th>
              <td>
                <span aria-hidden="true">{verdict === 'apply' ? '✓' : verdict === 'overridden' ? '!' : '◆'}</span>{' '}
                {verdict}
              </td>
              <td class="words">
                <Sentence text={detail} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Panel>
  );
}

const comparable: Readonly<Record<Course['comparable'], string>> = {
  yes: 'The configuration did not change while it ran: its result can be compared with others.',
  no: 'The configuration changed while it ran: its result cannot be compared with others.',
  unknown: 'Not known: the configuration of that time could not be read.',
  'not-applicable': 'Not applicable: it did not run.',
};

function Afterwards({ course }: { readonly course: Course }) {
  return (
    <>
      <Panel title="Configuration while it ran">
        <p>{comparable[course.comparable]}</p>
        <Drift title="Project" part={course.project} />
        <Drift title="Campaign" part={course.campaign} />
      </Panel>
      {course.between.length === 0 ? null : (
        <Panel title="Commands meanwhile" count={course.between.length}>
          <HistoryTable entries={course.between} />
        </Panel>
      )}
    </>
  );
}

function Drift({ title, part }: { readonly title: string; readonly part: Course['project'] }) {
  if (part === undefined) return null;
  if (part.kind === 'unknown') {
    return (
      <p>
        <strong>{title}</strong>: not known, {part.why}
      </p>
    );
  }
  const { drift } = part;
  return (
    <>
      <p>
        <strong>{title}</strong> {part.name ?? part.id}:{' '}
        {drift.kind === 'none' ? '✓ unchanged' : drift.kind === 'unknown' ? `not known, ${drift.why}` : '◆ changed'}
      </p>
      {drift.kind !== 'changed' ? null : (
        <Table label={`${title}: what changed`} head={['field', 'before', 'after']}>
          {drift.changes.map(({ kind, field, before, after }) => (
            <tr key={`${kind} ${field}`}>
              <th scope="row">
                {field} <span class="dim">{kind}</span>
              </th>
              <td class="words">{before}</td>
              <td class="words">{after}</td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}

/** The evidence as it would be handed on. */
function Document({
  markdown,
  html,
  name,
}: {
  readonly markdown: string;
  readonly html: string;
  readonly name: string;
}) {
  const save = (text: string, type: string, ending: string) => {
    const address = URL.createObjectURL(new Blob([text], { type }));
    const link = document.createElement('a');
    link.href = address;
    link.download = `${name.replaceAll(/[^\w.-]/g, '_')}.${ending}`;
    link.click();
    URL.revokeObjectURL(address);
  };
  return (
    <Panel title="Evidence">
      <p class="buttons">
        <button type="button" onClick={() => window.print()}>
          Print
        </button>
        <button type="button" onClick={() => save(markdown, 'text/markdown', 'md')}>
          Save as Markdown
        </button>
        <button type="button" onClick={() => save(html, 'text/html', 'html')}>
          Save as HTML
        </button>
      </p>
      <details>
        <summary>The document</summary>
        <Lines text={markdown} />
      </details>
    </Panel>
  );
}

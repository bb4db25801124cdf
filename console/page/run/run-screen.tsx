import type { RunAnswer } from '../../api.ts';
import { stagePath } from '../connection/ask.ts';
import { useAnswer } from '../connection/use-answer.ts';
import { Answer, Nothing, Panel, Table } from '../frame/answer.tsx';
import { route, useTitle } from '../frame/route.ts';
import { StopCommand } from '../now/in-flight.tsx';
import { HistoryTable } from '../history/history-screen.tsx';
import { cli, CommandLine, Lines, OutcomeWord, ShortIds } from '../words/outcome.tsx';
import { Sentence, stageNow, Time, zone } from '../words/time.tsx';
import { dayAndTime } from '#operator/times/written-times.ts';
import { roughly } from '#operator/readable.ts';
import { type StoryStep, storyOf, whatItDid } from './story.ts';

type Evidence = RunAnswer['evidence'];
type Course = NonNullable<Evidence['course']>;

/** Evidence asks the gateway, so only a start that goes on is followed. */
function goesOn({ evidence: { start, course } }: RunAnswer): boolean {
  const { outcome } = start.command;
  return outcome === 'under way' || outcome === 'deferred' || course?.end.kind === 'in-flight';
}

/**
 * The story of one start: sender, verdicts, request, whether it ran, when and by what it ended. It
 * also shows what changed in the meantime.
 */
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
          <Title evidence={evidence} />
          <Lead evidence={evidence} />
          {evidence.start.command.detail === undefined ? null : (
            <p class="words">
              <Sentence text={evidence.start.command.detail} />
            </p>
          )}
          <Story evidence={evidence} />
          <Guards start={evidence.start} />
          {evidence.course === undefined ? null : <Afterwards course={evidence.course} />}
          <Document markdown={markdown} html={html} name={`evidence-${subject}`} />
          <CommandLine line={cli('evidence', subject)} />
        </>
      )}
    </Answer>
  );
}

/** What the run did, and its stop while it goes on. */
function Lead({ evidence }: { readonly evidence: Evidence }) {
  const { word, says } = whatItDid(evidence);
  const { campaign, campaignRunId, course, start } = evidence;
  return (
    <>
      <p class="lead">
        <OutcomeWord outcome={word} reason={start.command.reason} /> {says}{' '}
        <span class="dim">
          {campaign} <ShortIds text={campaignRunId ?? ''} />
        </span>
      </p>
      {course?.end.kind === 'in-flight' && campaignRunId !== undefined ? (
        <StopCommand campaignRunId={campaignRunId} />
      ) : null}
    </>
  );
}

/** The run and the day head the screen, on the page and in the tab. */
function Title({ evidence: { run, campaignRunId = 'start', start } }: { readonly evidence: Evidence }) {
  useTitle(`${run ?? campaignRunId}, ${dayAndTime(Date.parse(start.command.askedAt), zone.value, stageNow.peek())}`);
  return null;
}

/** What happened, in order, each step with its time. A long wait is written in words, so that what matters stays close together. */
function Story({ evidence }: { readonly evidence: RunAnswer['evidence'] }) {
  const steps = storyOf(evidence);
  return (
    <ol class="panel story" aria-label="What happened">
      {steps.map((step, index) => (
        <li key={`${step.name} ${step.at ?? ''}`} class={step.isToCome ? 'to-come' : step.tone}>
          {step.isToCome && steps[index - 1]?.isToCome !== true ? (
            <span class="wait">
              <strong>now</strong> <Time at={evidence.writtenAt} />: what follows is to come
            </span>
          ) : (
            <Wait step={step} before={steps[index - 1]} />
          )}
          <strong>
            <span aria-hidden="true">{step.isToCome ? '◌' : shapes[step.tone]}</span> {step.name}
          </strong>
          <span class="step-time">{step.at === undefined ? '–' : <Time at={step.at} />}</span>
          <span class="words">
            <Sentence text={step.says} />
          </span>
        </li>
      ))}
    </ol>
  );
}

const shapes: Readonly<Record<StoryStep['tone'], string>> = { good: '●', warn: '◆', bad: '▲', plain: '○' };

const shortWaitMs = 60_000;

function Wait({ step, before }: { readonly step: StoryStep; readonly before?: StoryStep }) {
  if (step.at === undefined || before?.at === undefined) return null;
  const waited = Date.parse(step.at) - Date.parse(before.at);
  return waited < shortWaitMs ? null : <span class="wait dim">{roughly(waited)} later</span>;
}

function Guards({ start: { verdicts, notJudged } }: { readonly start: Evidence['start'] }) {
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
          {notJudged?.map((guard) => (
            <tr key={guard} class="dim">
              <th scope="row">{guard}</th>
              <td>not asked</td>
              <td>the one that refused comes before it</td>
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
        <Panel title="Other commands while it ran" count={course.between.length}>
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

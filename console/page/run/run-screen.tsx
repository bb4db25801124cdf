import type { RunAnswer } from '../../api.ts';
import { stagePath } from '../connection/ask.ts';
import { useAnswer } from '../connection/use-answer.ts';
import { Answer, Nothing, Panel, Table } from '../frame/answer.tsx';
import { route, useTitle } from '../connection/route.ts';
import { save } from '../frame/save.ts';
import { CommandTable } from './command-table.tsx';
import { cli, CommandLine, Lines, shapes } from '../words/outcome.tsx';
import { Sentence, stageNow, Time, zone } from '../words/time.tsx';
import { dayAndTime } from '#shared/schedule/written-times.ts';
import { roughly } from '#operator/readable.ts';
import { isOpen, RunChip } from './run-line.tsx';
import { StopRuns } from './stop.tsx';

type Evidence = RunAnswer['evidence'];
type Course = NonNullable<Evidence['course']>;

/**
 * The story of one start: sender, verdicts, request, whether it ran, when and by what it ended. It
 * also shows what changed in the meantime.
 */
export function RunScreen() {
  const { stage, subject } = route.value;
  const asked = useAnswer<RunAnswer>(subject === undefined ? undefined : stagePath(stage, 'runs', subject), {
    // Evidence asks the gateway, so only a run that goes on is followed.
    isFollowed: ({ evidence }) => isOpen(evidence.run),
  });
  if (subject === undefined) return <Nothing>Choose a start in the calendar or the history.</Nothing>;
  return (
    <Answer asked={asked}>
      {({ evidence, markdown, html }) => (
        <>
          <Title run={evidence.run} />
          <Lead run={evidence.run} campaign={evidence.campaign} />
          <Story steps={evidence.steps} now={evidence.writtenAt} />
          <Guards start={evidence.start} />
          <Afterwards {...evidence} />
          <Document markdown={markdown} html={html} name={`evidence-${subject}`} />
          <CommandLine line={cli('evidence', subject)} />
        </>
      )}
    </Answer>
  );
}

/** How the run stands, what it is, and its stop while it goes on. */
function Lead({ run, campaign }: { readonly run: Evidence['run']; readonly campaign: string | undefined }) {
  const { says, campaignRunId, startId } = run;
  return (
    <>
      <p class="lead">
        <RunChip run={run} /> {says}
      </p>
      <dl class="settings">
        {campaign === undefined ? null : [<dt key="campaign">campaign</dt>, <dd key="name">{campaign}</dd>]}
        {campaignRunId === undefined ? null : [<dt key="id">run id</dt>, <Copied key="run" text={campaignRunId} />]}
        <dt>start</dt>
        <Copied text={startId} />
      </dl>
      <StopRuns runs={[run]} />
    </>
  );
}

function Copied({ text }: { readonly text: string }) {
  return (
    <dd>
      <CommandLine line={text} isShown />
    </dd>
  );
}

/** The run and the day head the screen, on the page and in the tab. */
function Title({ run: { run, startAt } }: Pick<Evidence, 'run'>) {
  useTitle(`${run === '' ? 'Run' : run}, ${dayAndTime(Date.parse(startAt), zone.value, stageNow.peek())}`);
  return null;
}

/** What happened, in order, each step with its time, and then what is to come. */
function Story({ steps, now }: Pick<Evidence, 'steps'> & { readonly now: string }) {
  return (
    <ol class="panel story" aria-label="What happened">
      {steps.map(({ at, says, tone = 'plain', isAhead = false }, index) => (
        <li key={`${at} ${says}`} class={isAhead ? 'to-come' : tone}>
          {isAhead && steps[index - 1]?.isAhead !== true ? (
            <span class="wait">
              <strong>now</strong> <Time at={now} />: what follows is to come
            </span>
          ) : (
            <Wait at={at} before={steps[index - 1]?.at} />
          )}
          <span class="step-time">
            <Time at={at} />
          </span>
          <span class="words">
            <span aria-hidden="true">{isAhead ? '◌' : shapes[tone]}</span> {says}
          </span>
        </li>
      ))}
    </ol>
  );
}

const shortWaitMs = 60_000;

/** A long wait is written in words, so that what matters stays close together. */
function Wait({ at, before }: { readonly at: string; readonly before: string | undefined }) {
  const waited = Date.parse(at) - Date.parse(before ?? at);
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
  unknown: 'Not known: its end, or the configuration of that time, is not known.',
};

function Afterwards({ course, between }: Pick<Evidence, 'course' | 'between'>) {
  return (
    <>
      {course === undefined ? null : (
        <Panel title="Configuration while it ran">
          <p>{comparable[course.comparable]}</p>
          <Drift title="Project" part={course.project} />
          <Drift title="Campaign" part={course.campaign} />
        </Panel>
      )}
      {between.length === 0 ? null : (
        <Panel title="Other commands while it ran" count={between.length}>
          <CommandTable entries={between} />
        </Panel>
      )}
    </>
  );
}

function Drift({ title, part }: { readonly title: string; readonly part: Course['project'] }) {
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
function Document({ markdown, html, name }: Pick<RunAnswer, 'markdown' | 'html'> & { readonly name: string }) {
  return (
    <Panel title="Evidence">
      <p class="buttons">
        <button type="button" onClick={() => window.print()}>
          Print
        </button>
        <button type="button" onClick={() => save(markdown, 'text/markdown', `${name}.md`)}>
          Save as Markdown
        </button>
        <button type="button" onClick={() => save(html, 'text/html', `${name}.html`)}>
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

import { html } from 'hono/html';
import { counted, withInstants } from '#operator/readable.ts';
import { titleOf } from '#operator/parked/parked-rows.ts';
import { endsOf } from '#operator/run-state/run-groups.ts';
import { visibleText } from '#shared/text/visible-text.ts';
import { lanesOf } from '../nights/lanes.ts';
import { type Mark, marksOf, notesOf } from '../nights/marks.ts';
import { dayAndTime } from '#shared/schedule/written-times.ts';
import { type Fragment, htmlFile } from '../html-file.ts';
import { lanesSvg, laneStyle } from './report-lanes.ts';
import { putAt, type Report } from './read-report.ts';

/**
 * The report as one file of HTML: no script, and nothing that is fetched. Everything that the stage gave is text.
 * @returns the document
 */
export async function reportDocument(report: Report): Promise<string> {
  const { stage, from, until, calendar, version } = report;
  const zone = calendar.timezone;
  const now = Date.parse(calendar.now);
  const marks = marksOf(calendar).filter(({ at }) => at >= from.getTime() && at < until.getTime());
  const lanes = lanesOf(calendar, { from: from.getTime(), until: until.getTime() - 1, now, zone });
  const time = (instant: number | string) => dayAndTime(new Date(instant).getTime(), zone, now);
  const title = `Gateway Autopilot, stage ${visibleText(stage)}`;
  return htmlFile(
    title,
    html`<h1>${title}</h1>
      <p>
        From ${time(from.getTime())} to ${time(until.getTime())}. Times are of ${zone}. Read at ${time(now)} by
        gateway-autopilot ${version}.
      </p>
      ${summary(marks, report)} ${notes(report, time)}
      <h2>Calendar</h2>
      ${lanesSvg(lanes)}
      <h2>Commands</h2>
      ${commands(marks, time)}
      <h2>Uploads</h2>
      ${uploads(report, time)}
      <h2>Parked now</h2>
      ${parked(report, time)}`,
    laneStyle,
  );
}

/** The period in figures: how its runs ended, the worst first. */
function summary(marks: readonly Mark[], { uploads: listed, parked: rows, calendar, from, until }: Report): Fragment {
  const starts = calendar.past.filter(({ action }) => action === 'start');
  const runs = starts
    .flatMap(({ run }) => run ?? [])
    .filter(({ startAt }) => Date.parse(startAt) >= from.getTime() && Date.parse(startAt) < until.getTime());
  const skips = Map.groupBy(
    starts.filter(({ outcome }) => outcome === 'skipped'),
    ({ reason = 'no reason' }) => reason,
  );
  const skipped = [...skips].map(([reason, all]) => `, ${all.length} skipped ${reason}`).join('');
  const planned = marks.filter(({ isPlanned, state }) => isPlanned && state === 'will start').length;
  return html`<p class="summary">
    <strong>${endsOf(runs) ?? 'No run has ended'}</strong>${visibleText(skipped)}; ${planned} planned.
    ${counted(listed.length, 'upload')}; ${counted(rows.length, 'item')} ${rows.length === 1 ? 'needs' : 'need'} a
    decision now.
  </p>`;
}

type Time = (instant: number | string) => string;

/** What is not in the report, and why. */
function notes({ calendar, problems, isUploadsCut }: Report, time: Time): Fragment {
  const said = [
    ...problems.map(({ part = 'a part', message }) => `${part} could not be read: ${message}`),
    ...notesOf(calendar).map((note) => withInstants(note, time)),
    ...(isUploadsCut ? ['There are more uploads than one report lists: autopilot uploads has the others.'] : []),
  ];
  if (said.length === 0) return html``;
  return html`<ul class="notes">
    ${said.map((sentence) => html`<li>${visibleText(sentence)}</li>`)}
  </ul>`;
}

function commands(marks: readonly Mark[], time: Time): Fragment {
  return table(
    'Commands of the period',
    ['when', 'command', 'state', 'why', 'requested by'],
    marks.map(({ at, action, run, state, reason, detail, by }) => [
      time(at),
      `${action} ${run}`,
      `${state}${reason === undefined ? '' : ` ${reason}`}`,
      withInstants(detail ?? '', time),
      by,
    ]),
  );
}

function uploads({ uploads: listed }: Report, time: Time): Fragment {
  return table(
    'Uploads of the period',
    ['when', 'file', 'became', 'why', 'dataset'],
    listed.map((upload) => [
      time(putAt(upload)),
      upload.key,
      `${upload.state}${upload.reason === undefined ? '' : ` ${upload.reason}`}`,
      withInstants(upload.detail ?? '', time),
      upload.datasetId ?? '',
    ]),
  );
}

function parked({ parked: rows }: Report, time: Time): Fragment {
  return table(
    'What needs a decision',
    ['since', 'work', 'reason', 'why', 'next step'],
    rows.map((row) => [
      time(row.since),
      titleOf(row),
      row.reason,
      withInstants(row.detail ?? '', time),
      row.nextStep ?? '',
    ]),
  );
}

/** A table that moves sideways within itself if it is wider than the paper. */
function table(caption: string, head: readonly string[], rows: readonly (readonly string[])[]): Fragment {
  if (rows.length === 0) return html`<p class="dim">None.</p>`;
  return html`<div class="wide" role="region" aria-label="${caption}" tabindex="0">
    <table>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${head.map((cell) => html`<th scope="col">${cell}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map((cell) => html`<td>${visibleText(cell)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

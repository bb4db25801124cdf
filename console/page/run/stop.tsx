import { useState } from 'preact/hooks';
import type { RunReport } from '#operator/run-state/run-report.ts';
import { isInFlight } from '#operator/run-state/run-groups.ts';
import type { StopAnswer, StopBody } from '../../api-work.ts';
import { post, stagePath } from '../connection/ask.ts';
import { mayChange } from '../connection/session.ts';
import { ChangeForm, Dialog, type Said } from '../frame/dialog.tsx';
import { route } from '../connection/route.ts';
import { cli, CommandLine } from '../words/outcome.tsx';
import { RunChip } from './run-line.tsx';

/** Stops runs that are in flight: a button if this console may, else the command. Nothing if none of them is. */
export function StopRuns({ runs }: { readonly runs: readonly RunReport[] }) {
  const [isOpen, setOpen] = useState(false);
  const [said, setSaid] = useState('');
  const meant = runs.filter((run) => isInFlight(run) && run.campaignRunId !== undefined && run.state !== 'stopping');
  const [first] = meant;
  if (first === undefined) return said === '' ? null : <p role="status">{said}</p>;
  const one = meant.length === 1;
  const meaning = one ? 'Stop it' : `Stop all ${meant.length}`;
  const command = one ? ['send', 'stop', first.campaignRunId ?? ''] : ['stop', '--all-in-flight'];
  return (
    <p class="buttons">
      {mayChange('stop') ? (
        <button type="button" onClick={() => setOpen(true)}>
          {one ? `Stop ${first.run}…` : `Stop all ${meant.length}…`}
        </button>
      ) : null}
      <span class="dim">{mayChange('stop') ? 'Or' : meaning}, with your reason in the place of TEXT:</span>
      <CommandLine line={cli(...command, '--reason', 'TEXT')} />
      <span role="status">{said}</span>
      {isOpen ? <StopDialog runs={meant} close={() => setOpen(false)} onSent={setSaid} /> : null}
    </p>
  );
}

/** The second look: exactly these are stopped. */
function StopDialog({
  runs,
  close,
  onSent,
}: {
  readonly runs: readonly RunReport[];
  readonly close: () => void;
  readonly onSent: (says: string) => void;
}) {
  // What is shown is what is sent, also if the stream brings more then.
  const [shown] = useState(runs);
  const title = shown.length === 1 ? `Stop ${shown[0]?.run ?? ''}` : `Stop ${shown.length} runs`;
  const stop = async ({ because, typed }: Said) => {
    const body: StopBody = { startIds: shown.map(({ startId }) => startId), because, typed };
    const { sent } = await post<StopAnswer>(stagePath(route.value.stage, 'stops'), body);
    onSent(sent.length === 1 ? '● The stop is sent.' : `● ${sent.length} stops are sent.`);
    close();
  };
  return (
    <Dialog title={title} close={close}>
      <ul class="rows">
        {shown.map((run) => (
          <li key={run.startId}>
            <strong>{run.run}</strong> <RunChip run={run} />
            <p class="words">{run.says}</p>
          </li>
        ))}
      </ul>
      <p class="dim">A stopped run never goes on. New starts are not blocked: freeze the stage for that.</p>
      <ChangeForm verb={title} change={stop} />
    </Dialog>
  );
}

import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { NowAnswer } from '../../api.ts';
import type { SwitchAnswer, SwitchBody } from '../../api-work.ts';
import { post, stagePath } from '../connection/ask.ts';
import { mayChange } from '../connection/session.ts';
import { ChangeForm, Dialog, type Said } from '../frame/dialog.tsx';
import { route } from '../connection/route.ts';
import { cli, CommandLine } from '../words/outcome.tsx';
import { stageNow, zone } from '../words/time.tsx';
import { dayAndTime } from '#shared/schedule/written-times.ts';
import { instantOfWall } from '../../nights/times.ts';

type Subject = NonNullable<SwitchBody['subject']>;

/** What a switch did stays said, though its button is gone. */
const said = signal('');

async function change(body: SwitchBody, done: string): Promise<void> {
  const { isChanged } = await post<SwitchAnswer>(stagePath(route.value.stage, 'switches'), body);
  said.value = isChanged ? `● ${done}.` : `${done} already.`;
}

/** Blocks starts: of the whole stage, of a campaign or of a schedule, also until a time. Stops are sent all the same. */
export function SwitchActions({ now }: { readonly now: NowAnswer }) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => void (said.value = ''), []);
  return (
    <div class="switches">
      {mayChange('switch') ? (
        <button type="button" onClick={() => setOpen(true)}>
          Freeze or pause…
        </button>
      ) : (
        <details>
          <summary>Freeze or pause</summary>
          Put your reason in the place of TEXT: <CommandLine line={cli('freeze', '--reason', 'TEXT')} />
        </details>
      )}{' '}
      <span role="status">{said}</span>
      {isOpen ? <BlockDialog now={now} close={() => setOpen(false)} /> : null}
    </div>
  );
}

function BlockDialog({ now, close }: { readonly now: NowAnswer; readonly close: () => void }) {
  const [chosen, setChosen] = useState('');
  const [until, setUntil] = useState('');
  const schedules = now.schedules.filter(({ action }) => action === 'start').map(({ name }) => `schedule ${name}`);
  const subjects = [...(now.campaigns ?? []).map((name) => `campaign ${name}`), ...schedules];
  const block = async ({ because, typed }: Said) => {
    const [scope, name] = chosen.split(/ (.*)/);
    const subject = chosen === '' ? undefined : { scope: scope as Subject['scope'], name: name ?? '' };
    const end = until === '' ? undefined : instantOfWall(until, zone.value);
    const what = chosen === '' ? 'The stage is frozen' : `The ${chosen} is paused`;
    const toEnd = end === undefined ? '' : ` until ${dayAndTime(end, zone.value, stageNow.peek())}`;
    await change(
      {
        action: subject === undefined ? 'freeze' : 'pause',
        subject,
        because,
        until: end === undefined ? undefined : new Date(end).toISOString(),
        typed,
      },
      what + toEnd,
    );
    close();
  };
  return (
    <Dialog title="Block starts" close={close}>
      <ChangeForm verb={chosen === '' ? 'Freeze the stage' : `Pause the ${chosen}`} change={block}>
        <label>
          What
          <select value={chosen} onChange={(event) => setChosen(event.currentTarget.value)}>
            <option value="">the whole stage</option>
            {subjects.map((subject) => (
              <option key={subject} value={subject}>
                {subject}
              </option>
            ))}
          </select>
        </label>
        <label>
          Until ({zone.value}); empty: until you end it
          <input type="datetime-local" value={until} onInput={(event) => setUntil(event.currentTarget.value)} />
        </label>
      </ChangeForm>
    </Dialog>
  );
}

/** The button beside a freeze or a pause that ends it, by the words of the command that does. An alarm's hold ends automatically. */
export function LiftSwitch({ words: [verb, scope, name = ''] }: { readonly words: readonly string[] }) {
  const [isOpen, setOpen] = useState(false);
  if (!mayChange('switch') || (verb !== 'thaw' && verb !== 'resume') || scope === 'alarm') return null;
  const title = verb === 'thaw' ? 'Thaw the stage' : `Resume the ${scope} ${name}`;
  const lift = async ({ because, typed }: Said) => {
    const subject = verb === 'thaw' ? undefined : { scope: scope as Subject['scope'], name };
    const done = verb === 'thaw' ? 'The freeze has ended' : `The ${scope} ${name} goes on`;
    await change({ action: verb, subject, because, typed }, done);
    setOpen(false);
  };
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        {title}…
      </button>{' '}
      {isOpen ? (
        <Dialog title={title} close={() => setOpen(false)}>
          <ChangeForm verb={title} change={lift} />
        </Dialog>
      ) : null}
    </>
  );
}

import type { Previewed } from '../../shared/messages/preview.ts';
import type { Coming, ComingCommand } from './coming.ts';

/** How one of them ends, and what it brings about. */
export interface Step {
  readonly previewed?: Previewed;
  readonly follows?: Coming;
}

/** How a command ends at its instant. */
export function ended({ atMs, command }: ComingCommand, end: Partial<Previewed> & Pick<Previewed, 'outcome'>): Step {
  const { id, run, origin } = command;
  // Updates are not previewed.
  const action = command.action === 'start' ? 'start' : 'stop';
  const at = new Date(atMs).toISOString();
  return {
    previewed: { id, at, action, ...(run === undefined ? {} : { run }), origin, verdicts: [], requests: [], ...end },
  };
}

/** The request that it would be; what is undefined is not sent. */
export function patch(campaignRunId: string, fields: object): Previewed['requests'][number] {
  const body = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return { method: 'PATCH', path: `/backend/v1/campaign-runs/${campaignRunId}`, body };
}

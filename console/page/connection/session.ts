// Tests in Node import this file, and their types have no DOM.
/// <reference lib="dom" />
import { signal } from '@preact/signals';
import type { Way } from '#operator/pasted.ts';
import type { ProblemAnswer, SessionAnswer } from '../../api.ts';

/**
 * The page's right to ask. The link of the terminal bears a token in its fragment, which no server and no log sees. The page takes it off the
 * address and trades it for a session, which this tab alone keeps: `sessionStorage` belongs to one origin, port included.
 */
export type TabSession =
  | { readonly kind: 'opening' }
  | ({ readonly kind: 'open' } & SessionAnswer)
  /** The link was used or is too old, or the console was started again. */
  | { readonly kind: 'closed'; readonly because: string }
  /** The console said that it ends. */
  | { readonly kind: 'ended' };

export const session = signal<TabSession>({ kind: 'opening' });

const storageKey = 'autopilot-console';

/** Opens the session: with the token of the address if there is one, else with what this tab kept at a reload. */
export async function openSession(): Promise<void> {
  const token = takeToken();
  if (token === undefined) {
    session.value = kept() ?? { kind: 'closed', because: 'This address has no token.' };
    return;
  }
  try {
    const answer = await fetch('/api/session', { method: 'POST', headers: { 'x-console-token': token } });
    const body: unknown = await answer.json();
    if (answer.ok) keep(body as SessionAnswer);
    else closeSession((body as ProblemAnswer).problem.message);
  } catch {
    closeSession('The console does not answer.');
  }
}

/** Forgets the session: the server refused it. */
export function closeSession(because: string): void {
  sessionStorage.removeItem(storageKey);
  if (session.peek().kind !== 'ended') session.value = { kind: 'closed', because };
}

/** The console said that it ends: another program may listen on its port next, and must not find the session. */
export function endSession(): void {
  sessionStorage.removeItem(storageKey);
  session.value = { kind: 'ended' };
}

/** What this console may change; without `--allow` nothing. */
export function mayChange(what: SessionAnswer['allow'][number]): boolean {
  return session.value.kind === 'open' && session.value.allow.includes(what);
}

/** Whether it may send a file whose rule starts this run, or none. */
export function mayUpload(thenStart?: string): boolean {
  return mayChange('upload-and-start') || (thenStart === undefined && mayChange('upload'));
}

/** The names of the stages, in the order of the command line. */
export function stageNames(): readonly string[] {
  return session.value.kind === 'open' ? session.value.stages.map(({ name }) => name) : [];
}

/** What leads a command of the CLI to a stage of this console, from any folder. */
export function wayTo(name: string): Way {
  if (session.value.kind !== 'open') return { stageWords: [] };
  const { stages, project, folder } = session.value;
  return { stageWords: stages.find((stage) => stage.name === name)?.words ?? [], project, folder };
}

function keep(answer: SessionAnswer): void {
  sessionStorage.setItem(storageKey, JSON.stringify(answer));
  session.value = { ...answer, kind: 'open' };
}

function kept(): TabSession | undefined {
  const text = sessionStorage.getItem(storageKey);
  return text === null ? undefined : { ...(JSON.parse(text) as SessionAnswer), kind: 'open' };
}

function takeToken(): string | undefined {
  const [, token] = /^#token=(?<token>[\w-]+)/.exec(location.hash) ?? [];
  if (token !== undefined) history.replaceState(null, '', location.pathname);
  return token;
}

import { setInterval } from 'node:timers';
import { setImmediate as drawn } from 'node:timers/promises';
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { expect, vi } from 'vitest';
import type { SessionAnswer } from '#console/api.ts';
import { live } from '#console/page/connection/live.ts';
import { session } from '#console/page/connection/session.ts';
import { answerTo, now, nowText } from '../page/facts.ts';
import { startFixture, token, type FixtureServer } from '../page/fixture-server.ts';
import { DrawnElement, DrawnEvent, DrawnText } from './elements.ts';

/**
 * The whole page without a browser, over a server with fixed facts: its own code, drawn by Preact into elements of the test's own. It shows what is
 * said and what is sent, in a second. How that looks, and what a browser makes of it, the long files beside `page/` promise.
 */
export interface DrawnPage {
  readonly server: FixtureServer;
  /** Answers that stand in the place of the fixed ones, by the end of their path; a problem is a refusal. */
  readonly answers: Map<string, unknown>;
  /** Sends facts with these changes, also to a stream that is opened later. */
  readonly tell: (changes: object) => void;
  /** Takes back what `answers` and `tell` changed. */
  readonly forget: () => void;
  /** What the console may change from now on. */
  readonly allow: (what: SessionAnswer['allow']) => void;
  /** What a person can read now. */
  readonly text: () => string;
  /** Opens an address, and waits for a text. */
  readonly open: (address: string, text: string) => Promise<string>;
  /** Waits until the page says this. @returns all that it says */
  readonly says: (text: string) => Promise<string>;
  /** Presses the button, the link or the choice with this text. */
  readonly press: (text: string) => Promise<void>;
  /** Types into the field of this label, or chooses there. */
  readonly type: (label: string, text: string) => Promise<void>;
  readonly give: (label: string, file: File) => Promise<void>;
  readonly key: (key: string, target?: DrawnElement) => Promise<void>;
  readonly click: (element: DrawnElement) => Promise<void>;
  readonly find: (selector: string) => DrawnElement;
  readonly address: () => string;
  readonly focused: () => DrawnElement | undefined;
  /** What was copied, printed or saved. */
  readonly done: readonly string[];
  /** What the tab keeps of its session. */
  readonly kept: () => string | null;
  readonly close: () => Promise<void>;
}

let opened = 0;

/** Opens the page as a person does, with the token of the terminal. */
export async function openDrawnPage(fragment = `#token=${token}`): Promise<DrawnPage> {
  const answers = new Map<string, unknown>();
  let told = {};
  const stages = [
    { name: 'prod', words: ['--stage', 'prod@eu-west-1:work'] },
    { name: 'broken', words: ['--stage', 'prod@us-east-1:work'] },
  ];
  const server = await startFixture(
    { html: '', script: '', style: '' },
    {
      known: {
        session: { stages, operator: 'ann' },
        now: () => ({ ...now, ...told }),
        answerTo: (path, query, body) =>
          [...answers].find(([end]) => path.endsWith(end))?.[1] ?? answerTo(path, query, body),
      },
    },
  );
  const done: string[] = [];
  const view = new DrawnView(done);
  const { fetch } = globalThis;
  vi.setSystemTime(nowText); // it stands: distances are written to the second
  for (const [name, value] of Object.entries(view.globals())) vi.stubGlobal(name, value);
  vi.stubGlobal('fetch', (path: string, request: RequestInit) => fetch(server.origin + path, request));
  view.location.hash = fragment;
  session.value = { kind: 'opening' };
  live.value = { stage: '', state: 'connecting' };
  // Each page begins anew: the files of a worker share what it imports.
  opened += 1;
  await import(`${new URL('../../../../console/page/main.tsx', import.meta.url).href}?${opened}`);

  const text = () => view.place.textContent.replaceAll(/[ \t]+/g, ' ');
  const says = async (wanted: string) => {
    await vi.waitFor(() => expect(text()).toContain(wanted), { interval: 5, timeout: 120_000 });
    return text();
  };
  const find = (selector: string) => view.place.querySelector(selector) ?? expect.unreachable(`no ${selector}`);
  const field = (label: string) => {
    const labels = view.place.querySelectorAll('label').filter((each) => each.closest('dialog')?.open !== false);
    const found = labels.find(({ textContent }) => textContent.trim().startsWith(label));
    return found?.querySelector('input, select') ?? expect.unreachable(`no field ${label}`);
  };
  return {
    server,
    answers,
    tell: (changes) => {
      told = changes;
      server.tell(changes);
    },
    forget: () => {
      answers.clear();
      told = {};
      server.tell({});
    },
    allow: (what) => {
      if (session.value.kind === 'open') session.value = { ...session.value, allow: what };
    },
    text,
    says,
    open: async (address, wanted) => {
      view.location.hash = address;
      return says(wanted);
    },
    press: async (wanted) => {
      const all = view.place.querySelectorAll('button, a, input');
      const pressed = all.findLast(({ textContent }) => textContent.trim() === wanted);
      view.press(pressed ?? expect.unreachable(`no button ${wanted}`));
      await drawn();
    },
    type: async (label, typed) => {
      view.type(field(label), typed);
      await drawn();
    },
    give: async (label, file) => {
      const input = field(label);
      input.files = [file];
      view.send(new DrawnEvent('change', input));
      await drawn();
    },
    key: async (key, target = view.place) => {
      view.send(new DrawnEvent('keydown', target, { key }));
      await drawn();
    },
    click: async (element) => {
      view.press(element);
      await drawn();
    },
    find,
    address: () => view.location.hash,
    focused: () => view.document.activeElement,
    done,
    kept: () => sessionStorage.getItem('autopilot-console'),
    close: async () => {
      // Nothing of the page is left that hears of the next one, or touches what is taken back here.
      await act(() => {
        session.value = { kind: 'ended' };
        render(null, view.place as unknown as Element);
      });
      view.end();
      vi.unstubAllGlobals();
      vi.useRealTimers();
      await server.close();
    },
  };
}

/** What the page finds around itself. */
class DrawnView {
  readonly #done: string[];
  readonly #listeners = new Map<string, Set<(event: unknown) => void>>();
  readonly document = {
    hidden: false,
    title: '',
    activeElement: undefined as DrawnElement | undefined,
    createElementNS: (_: string, name: string) => this.#element(name),
    createElement: (name: string) => this.#element(name),
    createTextNode: (data: string) => new DrawnText(data),
    querySelector: () => this.place,
    addEventListener: (type: string, listener: (event: unknown) => void) => this.#listen(type, listener),
    removeEventListener: (type: string, listener: (event: unknown) => void) =>
      this.#listeners.get(type)?.delete(listener),
  };
  readonly place: DrawnElement = this.#element('div');
  readonly #timers: NodeJS.Timeout[] = [];
  #hash = '';
  readonly location = Object.defineProperty(
    { pathname: '/', hash: '', replace: (to: string) => this.#go(to) },
    'hash',
    {
      get: () => this.#hash,
      set: (to: string) => {
        this.#go(to);
      },
    },
  );

  constructor(done: string[]) {
    this.#done = done;
  }

  globals(): Readonly<Record<string, unknown>> {
    return {
      document: this.document,
      location: this.location,
      history: { replaceState: (_: null, __: string, to: string) => (this.#hash = to.startsWith('#') ? to : '') },
      localStorage: memory(),
      sessionStorage: memory(),
      addEventListener: (type: string, listener: (event: unknown) => void) => this.#listen(type, listener),
      setInterval: (each: () => void, milliseconds: number) => {
        const timer = setInterval(each, milliseconds);
        this.#timers.push(timer);
        return timer;
      },
      HTMLElement: DrawnElement,
      ResizeObserver: QuietObserver,
      CSS: { escape: (text: string) => text },
      requestAnimationFrame: (callback: () => void) => setImmediate(callback),
      cancelAnimationFrame: (handle: NodeJS.Immediate) => clearImmediate(handle),
      window: { print: () => this.#done.push('printed') },
      navigator: { clipboard: { writeText: async (text: string) => void this.#done.push(text) } },
    };
  }

  /** Ends what the page does each second. */
  end(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }

  /** A listener of an element, then of those around it, then of the document. */
  send(event: DrawnEvent): DrawnEvent {
    for (let at: DrawnElement | null = event.target; at !== null; at = at.parentNode) at.hear(event);
    for (const listener of this.#listeners.get(event.type) ?? []) listener(event);
    return event;
  }

  press(element: DrawnElement): void {
    if (element.getAttribute('disabled') !== null) expect.unreachable(`${element.textContent} is disabled`);
    if (this.send(new DrawnEvent('click', element)).defaultPrevented) return;
    const link = element.getAttribute('href') ?? '';
    if (link.startsWith('#')) this.#go(link);
    const form = element.getAttribute('type') === 'submit' ? element.closest('form') : null;
    if (form === null) return;
    if (form.getAttribute('method') === 'dialog') form.closest('dialog')?.close();
    else this.send(new DrawnEvent('submit', form));
  }

  type(element: DrawnElement, text: string): void {
    element.value = text;
    element.checked = text === 'on';
    this.send(new DrawnEvent('input', element));
    this.send(new DrawnEvent('change', element));
  }

  #element(name: string): DrawnElement {
    const element = new DrawnElement(name, this.document);
    // A link that the page makes itself saves a file.
    return name === 'a' ? Object.assign(element, { click: () => this.#done.push('saved') }) : element;
  }

  #go(to: string): void {
    this.#hash = to;
    for (const listener of this.#listeners.get('hashchange') ?? []) listener({});
  }

  #listen(type: string, listener: (event: unknown) => void): void {
    this.#listeners.set(type, (this.#listeners.get(type) ?? new Set()).add(listener));
  }
}

/** Nothing changes its size. */
class QuietObserver {
  observe(): void {}
  disconnect(): void {}
}

function memory() {
  const kept = new Map<string, string>();
  return {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
    removeItem: (name: string) => void kept.delete(name),
  };
}

import { setImmediate as drawn } from 'node:timers/promises';
import {
  BrowserErrorCaptureEnum,
  Element,
  type Event as DrawnEvent,
  type HTMLInputElement,
  type Node,
  Window,
} from 'happy-dom';
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { expect, vi } from 'vitest';
import type { SessionAnswer } from '#console/api.ts';
import { live } from '#console/page/connection/live.ts';
import { session } from '#console/page/connection/session.ts';
import { answerTo, now, nowText } from '../page/facts.ts';
import { startFixture, token } from '../page/fixture-server.ts';

/**
 * The whole page without a browser, over a server with fixed facts: its own code, drawn by Preact into elements of happy-dom. It shows what is
 * said and what is sent, in a second. How that looks, and what a browser makes of it, the long files beside `page/` promise.
 */
export type DrawnPage = Awaited<ReturnType<typeof openDrawnPage>>;

/** A busy machine makes nothing red. */
const patience = { interval: 5, timeout: 120_000 };
let opened = 0;

/** Opens the page as a person does, with the token of the terminal. */
export async function openDrawnPage(fragment = `#token=${token}`) {
  const answers = new Map<string, unknown>();
  let told = {};
  const server = await startFixture(
    { html: '', script: '', style: '' },
    {
      now: () => ({ ...now, ...told }),
      answerTo: (path, query, body) =>
        [...answers].find(([end]) => path.endsWith(end))?.[1] ?? answerTo(path, query, body),
    },
  );
  const done: string[] = [];
  const { fetch } = globalThis;
  vi.setSystemTime(nowText); // it stands: distances are written to the second
  const window = openWindow(`${server.origin}/${fragment}`, done);
  vi.stubGlobal('fetch', (path: string, request: RequestInit) => fetch(server.origin + path, request));
  session.value = { kind: 'opening' };
  live.value = { stage: '', state: 'connecting' };
  // Each page begins afresh: the files of a worker share what it imports.
  opened += 1;
  await import(`${new URL('../../../../console/page/main.tsx', import.meta.url).href}?${opened}`);

  const { document, location } = window;
  const place = document.querySelector('#page') ?? expect.unreachable('no page');
  /** What a person can read now. */
  const text = () => readable(place).replaceAll(/[ \t]+/g, ' ');
  /** Waits until the page says this. @returns all that it says */
  const says = async (wanted: string) => {
    await vi.waitFor(() => expect(text()).toContain(wanted), patience);
    return text();
  };
  const find = (selector: string) => place.querySelector(selector) ?? expect.unreachable(`no ${selector}`);
  const field = (label: string) => {
    const labels = [...place.querySelectorAll('label')].filter((each) => each.closest('dialog:not([open])') === null);
    const found = labels.find(({ textContent }) => textContent.trim().startsWith(label));
    return found?.querySelector<HTMLInputElement>('input, select') ?? expect.unreachable(`no field ${label}`);
  };
  const click = async (element: Element) => {
    if (element.hasAttribute('disabled')) expect.unreachable(`${element.textContent} is disabled`);
    const event = new window.MouseEvent('click', { bubbles: true, cancelable: true });
    await send(element, event);
    // A link of an SVG leads nowhere in happy-dom.
    if (element instanceof window.SVGElement && !event.defaultPrevented)
      location.hash = element.getAttribute('href') ?? '';
  };
  return {
    server,
    /** Answers that stand in the place of the fixed ones, by the end of their path; a problem is a refusal. */
    answers,
    /** Sends facts with these changes, also to a stream that is opened later. */
    tell: (changes: object) => {
      told = changes;
      server.tell();
    },
    /** Takes back what `answers` and `tell` changed. */
    forget: () => {
      answers.clear();
      told = {};
      server.tell();
    },
    /** What the console may change from now on. */
    allow: (what: SessionAnswer['allow']) => {
      if (session.value.kind === 'open') session.value = { ...session.value, allow: what };
    },
    text,
    says,
    /** Opens an address, and waits for a text. */
    open: async (address: string, wanted: string) => {
      const before = location.hash;
      location.hash = address;
      if (location.hash !== before)
        await new Promise((heard) => window.addEventListener('hashchange', heard, { once: true }));
      return says(wanted);
    },
    /** Presses the button, the link or the choice with this text. */
    press: async (wanted: string) => {
      const all = [...place.querySelectorAll('button, a, input')];
      const pressed = all.findLast(({ textContent }) => textContent.trim() === wanted);
      await click(pressed ?? expect.unreachable(`no button ${wanted}`));
    },
    /** Types into the field of this label, or chooses there. */
    type: async (label: string, typed: string) => {
      const input = field(label);
      // A choice that an answer brings can be made once it is there.
      await vi.waitFor(() => expect(Object.assign(input, { value: typed }).value).toBe(typed), patience);
      input.checked = typed === 'on';
      await send(input, new window.Event('input', { bubbles: true }), new window.Event('change', { bubbles: true }));
    },
    give: async (label: string, file: File) => {
      const input = field(label);
      Object.assign(input, { files: [file] });
      await send(input, new window.Event('change', { bubbles: true }));
    },
    key: async (key: string, target: Element = place) =>
      send(target, new window.KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })),
    click,
    find,
    address: () => location.hash,
    focused: () => document.activeElement,
    /** What was copied, printed or saved. */
    done: done as readonly string[],
    /** What the tab keeps of its session. */
    kept: () => window.sessionStorage.getItem('autopilot-console'),
    close: async () => {
      // Nothing of the page is left that hears of the next one, or touches what is taken back here.
      await act(() => {
        session.value = { kind: 'ended' };
        render(null, place);
      });
      await window.happyDOM.close();
      vi.unstubAllGlobals();
      vi.useRealTimers();
      await server.close();
    },
  };
}

/** What the page's code takes from its browser; all else is Node's own, `fetch` too. */
const taken = [
  'addEventListener',
  'cancelAnimationFrame',
  'clearInterval',
  'CSS',
  'document',
  'history',
  'HTMLElement',
  'localStorage',
  'location',
  'navigator',
  'removeEventListener',
  'requestAnimationFrame',
  'ResizeObserver',
  'sessionStorage',
  'setInterval',
] as const;

/** A window of happy-dom, with what that lacks: a layout, a printer, a folder for what is saved. */
function openWindow(url: string, done: string[]): Window {
  const settings = { errorCapture: BrowserErrorCaptureEnum.disabled }; // a test hears of each error
  const window = new Window({ url, settings });
  window.document.body.innerHTML = '<div id="page"></div>';
  window.Element.prototype.getBoundingClientRect = () => new window.DOMRect(0, 0, 1_000, 20);
  window.HTMLAnchorElement.prototype.click = () => void done.push('saved');
  window.navigator.clipboard.writeText = async (text) => void done.push(text);
  vi.stubGlobal('window', Object.assign(window, { print: () => done.push('printed') }));
  for (const name of taken) vi.stubGlobal(name, window[name]);
  return window;
}

/** Sends what a person did, and waits until it is drawn. */
async function send(element: Element, ...events: readonly DrawnEvent[]): Promise<void> {
  for (const event of events) element.dispatchEvent(event);
  await drawn();
}

/** What a person can read of it: a closed dialog says nothing. */
function readable(node: Node): string {
  if (!(node instanceof Element)) return node.textContent ?? '';
  if (node.localName === 'dialog' && !node.hasAttribute('open')) return '';
  const text = [...node.childNodes].map(readable).join('');
  return inline.has(node.localName) ? text : `${text}\n`;
}

const inline = new Set(['a', 'b', 'code', 'em', 'small', 'span', 'strong', 'time']);

/** The console's page begins here. It is only ever bundled (`console/bundle-page.ts`); Node runs no file of this folder. */
import { options, render, type VNode } from 'preact';
import { visibleText } from '#shared/text/visible-text.ts';
import { openSession, stageNames } from './connection/session.ts';
import { App } from './app.tsx';
import { followAddress, linkTo } from './connection/route.ts';

/** Attributes that a person reads or hears. */
const readAttributes = ['title', 'aria-label', 'aria-description', 'alt', 'placeholder', 'download'];

/**
 * Begins to encode what cannot be seen, in each text node and each attribute that is read. Keys, reasons and answers of a gateway are text of
 * others, and may hold characters that hide or reorder what a person reads. Every text that the page makes passes through here, so no screen has to
 * remember it. Requests bear the text as it is.
 */
function makeTextVisible(): void {
  // oxlint-disable-next-line typescript/unbound-method -- a hook of preact is a plain function
  const before = options.vnode;
  options.vnode = (vnode: VNode) => {
    encode(vnode);
    before?.(vnode);
  };
}

function encode(vnode: VNode): void {
  // A text node has no type, and its text in the place of the properties.
  const node = vnode as { type: unknown; props: unknown };
  if (typeof node.props === 'string') node.props = visibleText(node.props);
  if (typeof node.type !== 'string' || typeof node.props !== 'object' || node.props === null) return;
  const attributes = node.props as Record<string, unknown>;
  for (const name of readAttributes) {
    const value = attributes[name];
    if (typeof value === 'string') attributes[name] = visibleText(value);
  }
}

const place = document.querySelector('#page');
makeTextVisible();
if (place !== null) render(<App />, place);
// The token leaves the address before anything else reads it.
const opened = openSession();
followAddress();
await opened;
const [first, ...others] = stageNames();
if (location.hash === '' && first !== undefined && others.length === 0) location.replace(linkTo(first, 'now'));

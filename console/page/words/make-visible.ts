/**
 * Keys, reasons and answers of a gateway are text of others, and may hold characters that hide or reorder what a person reads. Every text that
 * the page makes passes through here, so no screen has to remember it. Requests bear the text as it is.
 */
import { options, type VNode } from 'preact';
import { visibleText } from '#shared/text/visible-text.ts';

/** Attributes that a person reads or hears. */
const readAttributes = ['title', 'aria-label', 'aria-description', 'alt', 'placeholder', 'download'];

/** Begins to encode what cannot be seen, in each text node and each attribute that is read. */
export function makeTextVisible(): void {
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

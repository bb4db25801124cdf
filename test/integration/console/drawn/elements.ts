/** An element of the drawn page: what Preact and the page's own code ask of a node, and no layout. */
export class DrawnElement {
  readonly nodeType = 1;
  readonly localName: string;
  readonly ownerDocument: { activeElement?: DrawnElement | undefined };
  readonly style = {};
  readonly childNodes: DrawnNode[] = [];
  parentNode: DrawnElement | null = null;
  value = '';
  checked = false;
  files: readonly File[] = [];
  readonly #attributes = new Map<string, string>();
  readonly #listeners = new Map<string, Set<Listener>>();

  constructor(localName: string, ownerDocument: DrawnElement['ownerDocument']) {
    this.localName = localName;
    this.ownerDocument = ownerDocument;
  }

  get firstChild(): DrawnNode | null {
    return this.childNodes[0] ?? null;
  }
  get nextSibling(): DrawnNode | null {
    return siblingOf(this);
  }
  get children(): readonly DrawnElement[] {
    return this.childNodes.filter((node) => node instanceof DrawnElement);
  }
  get cellIndex(): number {
    return this.parentNode?.children.indexOf(this) ?? -1;
  }
  get colSpan(): number {
    return Number(this.getAttribute('colSpan') ?? 1);
  }
  get open(): boolean {
    return this.#attributes.has('open');
  }
  set open(isOpen: boolean) {
    if (isOpen) this.setAttribute('open', '');
    else this.removeAttribute('open');
  }
  readonly dataset = new Proxy<Record<string, string | undefined>>(
    {},
    {
      get: (_, name) => this.getAttribute(`data-${String(name)}`) ?? undefined,
      set: (_, name, text: string) => {
        this.setAttribute(`data-${String(name)}`, text);
        return true;
      },
    },
  );

  insertBefore(node: DrawnNode, before: DrawnNode | null): void {
    node.remove();
    const index = before === null ? -1 : this.childNodes.indexOf(before);
    this.childNodes.splice(index === -1 ? this.childNodes.length : index, 0, node);
    node.parentNode = this;
  }
  remove(): void {
    removeFromParent(this);
  }
  setAttribute(name: string, value: unknown): void {
    this.#attributes.set(name, String(value));
  }
  getAttribute(name: string): string | null {
    return this.#attributes.get(name) ?? null;
  }
  removeAttribute(name: string): void {
    this.#attributes.delete(name);
  }
  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, (this.#listeners.get(type) ?? new Set()).add(listener));
  }
  removeEventListener(type: string, listener: Listener): void {
    this.#listeners.get(type)?.delete(listener);
  }
  /** Calls its own listeners alone. */
  hear(event: DrawnEvent): void {
    event.currentTarget = this;
    for (const listener of this.#listeners.get(event.type) ?? []) listener.call(this, event);
  }

  /** Every element below it, in the order of the page. */
  *all(): Generator<DrawnElement> {
    for (const child of this.children) {
      yield child;
      yield* child.all();
    }
  }
  matches(selectors: string): boolean {
    return selectors.split(',').some((selector) => fits(this, selector.trim().split(/\s*>\s*/)));
  }
  closest(selectors: string): DrawnElement | null {
    return this.matches(selectors) ? this : (this.parentNode?.closest(selectors) ?? null);
  }
  querySelectorAll(selectors: string): readonly DrawnElement[] {
    return [...this.all()].filter((each) => each.matches(selectors));
  }
  querySelector(selectors: string): DrawnElement | null {
    return this.querySelectorAll(selectors)[0] ?? null;
  }

  focus(): void {
    this.ownerDocument.activeElement = this;
    this.hear(new DrawnEvent('focus', this));
  }
  showModal(): void {
    this.open = true;
  }
  close(): void {
    this.open = false;
    this.hear(new DrawnEvent('close', this));
  }
  getBoundingClientRect(): { readonly width: number } {
    return { width: 1_000 };
  }
  getContext(): null {
    return null;
  }

  /** What a person can read of it: a closed dialog says nothing. */
  get textContent(): string {
    if (this.localName === 'dialog' && !this.open) return '';
    const text = this.childNodes.map((node) => (node instanceof DrawnElement ? node.textContent : node.data)).join('');
    return inline.has(this.localName) ? text : `${text}\n`;
  }
}

const inline = new Set(['a', 'b', 'code', 'em', 'small', 'span', 'strong', 'time']);

/** A text of the drawn page. */
export class DrawnText {
  readonly nodeType = 3;
  parentNode: DrawnElement | null = null;
  data: string;

  constructor(data: string) {
    this.data = data;
  }
  get nextSibling(): DrawnNode | null {
    return siblingOf(this);
  }
  remove(): void {
    removeFromParent(this);
  }
}

type DrawnNode = DrawnElement | DrawnText;
type Listener = (this: unknown, event: DrawnEvent) => void;

/** What a person did, with what the page reads of it. */
export class DrawnEvent {
  readonly type: string;
  readonly target: DrawnElement;
  readonly key?: string;
  readonly dataTransfer?: { readonly files: readonly File[] };
  currentTarget?: DrawnElement;
  defaultPrevented = false;

  constructor(type: string, target: DrawnElement, more: Pick<DrawnEvent, 'key' | 'dataTransfer'> = {}) {
    this.type = type;
    this.target = target;
    this.key = more.key;
    this.dataTransfer = more.dataTransfer;
  }
  preventDefault(): void {
    this.defaultPrevented = true;
  }
}

/** Whether an element fits the last of these, and its ancestors those before, each a child of the next. */
function fits(element: DrawnElement, compounds: readonly string[]): boolean {
  const last = compounds.at(-1);
  if (last === undefined) return true;
  const { parentNode } = element;
  const isLast = fitsOne(element, last);
  return isLast && (compounds.length === 1 || (parentNode !== null && fits(parentNode, compounds.slice(0, -1))));
}

/** `tag#id.class[name="value"]`, each part optional. */
function fitsOne(element: DrawnElement, compound: string): boolean {
  const parts = compound.match(/[\w*-]+|[#.][\w-]+|\[.*\]/g) ?? [];
  return parts.every((part) => hasPart(element, part));
}

function hasPart(element: DrawnElement, part: string): boolean {
  if (/^[\w*]/.test(part)) return part === '*' || part === element.localName;
  if (part.startsWith('#')) return element.getAttribute('id') === part.slice(1);
  if (part.startsWith('.')) return (element.getAttribute('class') ?? '').split(' ').includes(part.slice(1));
  const { name = '', value } = /^\[(?<name>[\w-]+)(?:="(?<value>.*)")?\]$/.exec(part)?.groups ?? {};
  const actual = element.getAttribute(name);
  return actual !== null && (value === undefined || value === actual);
}

function siblingOf(node: DrawnNode): DrawnNode | null {
  const siblings = node.parentNode?.childNodes ?? [];
  return siblings[siblings.indexOf(node) + 1] ?? null;
}

function removeFromParent(node: DrawnNode): void {
  const siblings = node.parentNode?.childNodes;
  siblings?.splice(siblings.indexOf(node), 1);
  node.parentNode = null;
}

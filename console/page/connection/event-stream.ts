/**
 * Server-sent events read from the answer of a `fetch`: an `EventSource` can send no header. The format is that of the HTML standard,
 * "Server-sent events", section 9.2.6 "Interpreting an event stream".
 */

/** One event. */
export interface StreamEvent {
  readonly name: string;
  readonly data: string;
}

/** Each event as it comes; `onBytes` is called for comments too, which are the server's sign of life. */
export async function* readEvents(response: Response, onBytes: () => void): AsyncGenerator<StreamEvent> {
  // `for await` over a body is not in every browser; a reader is.
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) return;
  const parser = createEventParser();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onBytes();
    yield* parser(value);
  }
}

/**
 * Takes text in pieces of any length, and gives back the events that each completes. A line ends with a line feed, a carriage return or both, and with
 * nothing else: JSON holds U+2028 and U+2029 as they are.
 */
export function createEventParser(): (piece: string) => readonly StreamEvent[] {
  let rest = '';
  return (piece) => {
    const text = rest + piece;
    // The other half of this end of a line may be in the next piece.
    const whole = text.endsWith('\r') ? text.slice(0, -1) : text;
    const blocks = whole.replaceAll(/\r\n?/g, '\n').split('\n\n');
    rest = (blocks.pop() ?? '') + text.slice(whole.length);
    return blocks.map(eventOf).filter((event) => event !== undefined);
  };
}

function eventOf(block: string): StreamEvent | undefined {
  const fields = block.split('\n').map((line) => /^(?<name>event|data): ?(?<value>.*)$/s.exec(line)?.groups ?? {});
  const values = (name: string) => fields.filter((field) => field.name === name).map(({ value = '' }) => value);
  const data = values('data');
  return data.length === 0 ? undefined : { name: values('event').at(-1) ?? 'message', data: data.join('\n') };
}

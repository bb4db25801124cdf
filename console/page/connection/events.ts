/**
 * Server-sent events read from the answer of a `fetch`: an `EventSource` can send no header. The format is that of the HTML standard,
 * "Server-sent events", section 9.2.6 "Interpreting an event stream".
 */

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

/** Takes text in pieces of any length, and gives back the events that each completes. */
export function createEventParser(): (piece: string) => readonly StreamEvent[] {
  let rest = '';
  return (piece) => {
    const blocks = (rest + piece).replaceAll('\r\n', '\n').split('\n\n');
    rest = blocks.pop() ?? '';
    return blocks.map(eventOf).filter((event) => event !== undefined);
  };
}

function eventOf(block: string): StreamEvent | undefined {
  const fields = block.split('\n').map((line) => /^(?<name>event|data): ?(?<value>.*)$/.exec(line)?.groups ?? {});
  const values = (name: string) => fields.filter((field) => field.name === name).map(({ value = '' }) => value);
  const data = values('data');
  return data.length === 0 ? undefined : { name: values('event').at(-1) ?? 'message', data: data.join('\n') };
}

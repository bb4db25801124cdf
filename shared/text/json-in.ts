/** The value in a text of JSON; `undefined`: it holds none, which no JSON says. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns true if a host name, as URL gives it, is this machine by number or by the one name that always is. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/** Returns true if the text is an http(s) URL of this machine. */
export function isLoopbackUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { hostname, protocol } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && isLoopback(hostname);
}

import { signal } from '@preact/signals';

const narrow = window.matchMedia('(max-width: 40rem)');

/** A window of a phone: no axis of 24 hours has room, nor a row of filters. */
export const isNarrow = signal(narrow.matches);
narrow.addEventListener('change', ({ matches }) => (isNarrow.value = matches));

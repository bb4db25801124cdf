import { render } from 'preact';
import { openSession, stageNames } from './connection/session.ts';
import { App } from './frame/app.tsx';
import { followAddress, linkTo } from './frame/route.ts';
import { makeTextVisible } from './words/make-visible.ts';

/** The console's page begins here. It is only ever bundled (`console/bundle-page.ts`); Node runs no file of this folder. */
const place = document.querySelector('#page');
makeTextVisible();
if (place !== null) render(<App />, place);
// The token leaves the address before anything else reads it.
const opened = openSession();
followAddress();
await opened;
const [first, ...others] = stageNames();
if (location.hash === '' && first !== undefined && others.length === 0) location.replace(linkTo(first, 'now'));

/** What a person without a mouse does. */
import { expect } from 'vitest';
import type { Locator, Page } from 'playwright-core';

/** Tab until the element has the focus. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let presses = 0; presses < 300; presses += 1) {
    if ((await target.and(page.locator(':focus')).count()) > 0) return;
    await page.keyboard.press('Tab');
  }
  expect.unreachable('the element is not in the order of the Tab key');
}

/** Opens a screen by its link in the navigation. */
export async function openScreen(page: Page, name: RegExp): Promise<void> {
  await tabTo(page, page.getByRole('navigation').getByRole('link', { name }));
  await page.keyboard.press('Enter');
  // The focus goes to the new screen's heading: a key before that would go to the screen that is left.
  await page.getByRole('heading', { level: 1, name }).and(page.locator(':focus')).waitFor();
}

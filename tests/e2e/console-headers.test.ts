import type { Browser } from 'playwright-core';
import { languages } from '../../client/src/i18n/languages.js';
import { openBrowser, settled, visit } from './console-page.js';
import { listPaths } from './console-paths.js';
import { enter } from './console-session.js';
import { openSite, type ConsoleSite } from './console-site.js';

/** Tests that the headers of all lists are whole at 1440 px, in every language. */
jest.setTimeout(240_000);

let site: ConsoleSite;
let browser: Browser;

beforeAll(async () => {
  [site, browser] = await Promise.all([openSite(), openBrowser()]);
});

afterAll(async () => {
  await browser.close();
  await site.server.stop();
});

/** Lists whose names do not end in `List`. */
const paths = [
  ...listPaths,
  '/channel-health',
  '/model-health',
  '/pricing',
  '/profit',
  '/setting?section=prices&view=visual',
];

it.each(languages)('the headers of all lists are whole in %s', async (language) => {
  const visitor = await visit(browser, site.server.url, { viewport: { width: 1440, height: 900 } });
  const { page } = visitor;
  await enter(visitor, '/token');
  await page.evaluate((chosen) => localStorage.setItem('language', chosen), language);
  const cut: string[] = [];
  let headers = 0;
  for (const path of paths) {
    await page.goto(path);
    await settled(page);
    const titles = page.locator('.MuiDataGrid-columnHeaderTitle');
    headers += await titles.count();
    const found = await titles.evaluateAll((all) => {
      const end = (title: Element): number => {
        const grid = title.closest('[role=grid]');
        const actions = grid?.querySelector('[role=columnheader].pinned-cell')?.getBoundingClientRect();
        return actions?.left ?? grid?.getBoundingClientRect().right ?? 0;
      };
      return all
        .filter((title) => title.textContent !== '')
        .flatMap((title) => {
          const { scrollWidth, clientWidth, textContent } = title;
          if (scrollWidth > clientWidth)
            return [`${textContent} (${String(clientWidth)} of ${String(scrollWidth)} px)`];
          const beyond = title.getBoundingClientRect().right - end(title);
          return beyond > 0.5 ? [`${textContent} (${String(Math.round(beyond))} px out of view)`] : [];
        });
    });
    cut.push(...found.map((title) => `${path}: ${title}`));
  }
  expect(cut).toEqual([]);
  expect(headers).toBeGreaterThan(100);
  await visitor.leave();
});

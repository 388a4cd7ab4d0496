import pg from 'pg';
import type { Browser, Locator, Page } from 'playwright-core';
import { startServer, type TestServer } from '../support/server.js';
import { openBrowser, openFilter, settled, visit, type Visitor } from './console-page.js';
import { enter } from './console-session.js';
import { listPaths } from './console-paths.js';
import { go } from './console-views.js';
import { addStatement } from '../support/account-statements.js';
import { sampled } from '../support/suite.js';

/**
 * Details of the console that need a browser with a layout: marks of charts, text above lines, pointers, rows of
 * controls.
 */
jest.setTimeout(120_000);

let server: TestServer;
let browser: Browser;
let database: pg.Client;
let visitor: Visitor;
let page: Page;

beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(), openBrowser()]);
  const root = await server.api.setUp();
  for (const [key, value] of [
    ['Price', '7.2'],
    ['status_page.enabled', 'true'],
  ]) {
    await server.api.data(root, 'PUT', '/api/option/', { key, value });
  }
  for (const name of ['North', 'South']) {
    await server.api.createChannel(root, { baseUrl: 'http://127.0.0.1:9', models: ['gpt-4o'], name });
  }
  database = new pg.Client(server.database.url);
  await database.connect();
  await database.query(
    `UPDATE channels SET status = 'autoDisabled', status_reason = '401 Incorrect API key', status_changed_at = to_timestamp(1) WHERE name = 'North'`,
  );
  visitor = await visit(browser, server.url);
  ({ page } = visitor);
  await enter(visitor);
});

afterAll(async () => {
  await browser?.close();
  await database?.end();
  await server?.stop();
});

afterEach(async () => {
  expect(visitor.complaints).toEqual([]);
  await page.setViewportSize({ width: 1440, height: 900 });
});

const boxOf = async (at: Locator) => {
  const box = await at.boundingBox();
  if (!box) throw new Error('not in view');
  return box;
};
const row = (name: string): Locator => page.locator('main [role=row][data-id]').filter({ hasText: name });

describe('a chart without usage', () => {
  it('has a text on a ground that hides the lines behind it, and marks that differ', async () => {
    await page.goto('/detail?days=7&by=day');
    const figure = page.getByRole('figure').first();
    const text = figure.getByText('No usage in this range');
    await text.waitFor();
    const seen = await text.evaluate((element) => {
      const picture = element.closest('[role=figure]')?.querySelector('svg');
      return {
        ground: getComputedStyle(element).backgroundColor,
        // The text is drawn later than the lines.
        isAbove: Boolean((picture?.compareDocumentPosition(element) ?? 0) & Node.DOCUMENT_POSITION_FOLLOWING),
      };
    });
    expect(seen).toEqual({ ground: expect.stringMatching(/^rgb\(/), isAbove: true });
    // The axes are drawn once a chart knows its size.
    await settled(page, 30_000);
    const all = await marksOf();
    expect(all).toHaveLength(5);
    for (const { texts } of all) {
      expect(texts.length).toBeGreaterThanOrEqual(2);
      expect(new Set(texts).size).toBe(texts.length);
    }
  });
});

interface Marks {
  readonly texts: readonly string[];
  /** Pixels by which the widest mark extends beyond the picture, or into the chart. */
  readonly outside: number;
}

/** The marks of the vertical axis of each chart on the page. */
const marksOf = (): Promise<Marks[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('main [role=figure]')].map((figure) => {
      const edge = figure.querySelector('svg')?.getBoundingClientRect().left ?? 0;
      const plot = figure.querySelector('.MuiChartsGrid-line')?.getBoundingClientRect().left ?? 0;
      const labels = [...figure.querySelectorAll('.MuiChartsAxis-directionY text')];
      const boxes = labels.map((label) => label.getBoundingClientRect());
      return {
        texts: labels.map((label) => label.textContent),
        outside: Math.max(...boxes.map(({ left, right }) => Math.max(edge - left, right - plot))),
      };
    }),
  );

describe.each(['USD', 'local currency'])('marks of axes in %s', (currency) => {
  beforeAll(async () => {
    await page.goto('/personal?tab=display');
    await page.getByRole('combobox', { name: 'Currency of amounts' }).click();
    await page.getByRole('option', { name: currency === 'USD' ? 'USD ($)' : 'Local currency (¥)' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Settings saved').first().waitFor();
  });

  // Quota of the highest column: 500,000 are $1.
  const quotas = [1, 50, 170, 2000, 130_000, 60_000_000, 9_876_000_000];
  it.each(sampled(currency === 'USD' ? quotas : quotas.toReversed(), 2))(
    'are whole and different up to %d',
    async (quota) => {
      await database.query('DELETE FROM usage_hourly');
      await database.query(
        `INSERT INTO usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", calls, quota, prompt_tokens)
       SELECT extract(epoch FROM date_trunc('hour', now()))::bigint - 3600 - n * 86400, 1, 0, 1, 'gpt-4o', 'default', 1,
         greatest(1, $1::bigint / (1 + n)), $1::bigint FROM generate_series(0, 5) n`,
        [quota],
      );
      await page.goto('/detail?days=7&by=day');
      await page.getByRole('figure').first().waitFor();
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 900 });
        await settled(page, 30_000);
        const all = await marksOf();
        expect(all).toHaveLength(6);
        for (const { texts, outside } of all) {
          expect(texts.length).toBeGreaterThanOrEqual(2);
          // The library shortens texts that do not fit.
          expect(texts.filter((text) => text.includes('…'))).toEqual([]);
          expect(new Set(texts).size).toBe(texts.length);
          expect(outside).toBeLessThanOrEqual(0.5);
        }
        expect(all[0]?.texts.every((text) => text.startsWith(currency === 'USD' ? '$' : '¥'))).toBe(true);
      }
    },
  );
});

describe('rows of a list', () => {
  it('keep one background when they are selected, hovered or both, also below their actions', async () => {
    await go(page, '/channel');
    const [north, south] = [row('North'), row('South')];
    await north.getByRole('checkbox').click();
    /** The colours of the row and of the cell with its actions, with the pointer on the row. */
    const colours = async (of: Locator) => {
      await of.locator('[data-field=name]').hover();
      await settled(page);
      return of.evaluate((element) => {
        const grounds = (one: Element | null): string => {
          const { backgroundColor, backgroundImage } = getComputedStyle(one ?? element);
          const layers = [...backgroundImage.matchAll(/rgba?\([^)]*\)/g)].map(([layer]) => layer);
          const canvas = Object.assign(document.createElement('canvas'), { width: 1, height: 1 });
          const context = canvas.getContext('2d');
          if (!context) return '';
          const card = getComputedStyle(element.closest('section') ?? element).backgroundColor;
          for (const colour of [card, backgroundColor, layers[0] ?? 'transparent']) {
            context.fillStyle = colour;
            context.fillRect(0, 0, 1, 1);
          }
          return [...context.getImageData(0, 0, 1, 1).data].join();
        };
        return [grounds(element), grounds(element.querySelector('[data-field=actions]'))];
      });
    };
    for (const [name, of] of [
      ['selected and hovered', north],
      ['hovered', south],
    ] as const) {
      const [whole, actions] = await colours(of);
      expect([name, actions]).toEqual([name, whole]);
    }
  });

  it('explain a state in a tooltip that the pointer can enter', async () => {
    await go(page, '/channel');
    await row('North').waitFor();
    // A row that moves away from the pointer closes the tooltip.
    await settled(page);
    await row('North').getByText('Auto-disabled').hover();
    const reason = page.getByRole('tooltip').filter({ hasText: '401 Incorrect API key' });
    await reason.waitFor();
    const { x, y, width, height } = await boxOf(reason);
    await page.mouse.move(x + width / 2, y + height / 2, { steps: 12 });
    // A tooltip closes in less time than this.
    await page.waitForTimeout(1000);
    expect(await reason.isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await reason.waitFor({ state: 'detached' });
  });
});

it('shows the whole example of an empty list of tokens', async () => {
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto('/token');
    const example = page.locator('main pre').filter({ hasText: 'curl' });
    await example.waitFor();
    const seen = await example.evaluate((element) => {
      const { left, right } = element.getBoundingClientRect();
      const text = document.createRange();
      text.selectNodeContents(element);
      const lines = [...text.getClientRects()];
      return {
        isWhole: lines.length > 1 && lines.every((line) => line.left >= left && line.right <= right),
        inPage: left >= 0 && right <= innerWidth,
      };
    });
    expect(seen).toEqual({ isWhole: true, inPage: true });
  }
});

describe('a tablet', () => {
  beforeEach(() => page.setViewportSize({ width: 768, height: 1024 }));

  it('shows the whole name of the site above', async () => {
    await go(page, '/token');
    const name = page.getByRole('banner').getByText('Tollgate', { exact: true });
    await name.waitFor();
    await settled(page);
    expect(await name.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBeLessThanOrEqual(0);
  });

  it('has no empty cell among the figures of the dashboard', async () => {
    await go(page, '/detail');
    const endOf = async (name: string) => {
      const { x, width } = await boxOf(page.locator('main').getByRole('region', { name, exact: true }).first());
      return x + width;
    };
    await page.getByRole('region', { name: 'Margin', exact: true }).waitFor();
    await settled(page);
    const end = await endOf('Margin');
    for (const name of ['Tokens', 'Last minute', 'Top-ups received']) expect(await endOf(name)).toBe(end);
  });

  it.each([
    ['/log', 'Cost / credit'],
    ['/status', 'Uptime'],
  ])('shows %s as far as %s', async (path, column) => {
    await go(page, path);
    const grid = await boxOf(page.getByRole('grid'));
    const header = await boxOf(page.getByRole('columnheader', { name: column, exact: true }));
    expect(header.x + header.width).toBeLessThanOrEqual(grid.x + grid.width + 1);
  });
});

describe('a phone', () => {
  beforeEach(() => page.setViewportSize({ width: 390, height: 844 }));

  /** Tops of the controls between the title and the content, by rows. */
  const rowsOfControls = (): Promise<number> =>
    page.evaluate(() => {
      const main = document.querySelector('main');
      const title = main?.querySelector('h1')?.getBoundingClientRect().bottom;
      const content = main?.querySelector('.MuiCard-root')?.getBoundingClientRect().top;
      if (title === undefined || content === undefined) throw new Error('there is no title or no content');
      const tops: number[] = [];
      for (const control of main?.querySelectorAll('button, input, [role=combobox]') ?? []) {
        const { top, bottom, height } = control.getBoundingClientRect();
        if (height > 0 && top > title && bottom <= content && !tops.some((one) => Math.abs(one - top) < 16))
          tops.push(top);
      }
      return tops.length;
    });

  it.each(sampled(['/detail', ...listPaths], 3))(
    'has at most one row of controls before the content of %s',
    async (path) => {
      await go(page, path);
      await settled(page, 30_000);
      expect(await rowsOfControls()).toBeLessThanOrEqual(1);
    },
  );

  it('opens the personal settings at the tab that a link names', async () => {
    await page.setViewportSize({ width: 390, height: 600 });
    await page.goto('/personal?tab=notifications');
    const first = page.getByRole('combobox', { name: 'Notify by' });
    await first.waitFor();
    await settled(page);
    const { y, height } = await boxOf(first);
    expect(y).toBeGreaterThan(48);
    expect(y + height).toBeLessThan(600);
  });

  it('keeps the figures of the dashboard on the screen, with a long name of the time zone', async () => {
    const phone = { viewport: { width: 390, height: 844 }, timezoneId: 'America/Los_Angeles' };
    const other = await visit(browser, server.url, phone);
    await enter(other, '/detail');
    await other.page.getByText('Time zone: America/Los_Angeles').waitFor();
    await settled(other.page);
    const cut = await other.page.locator('main').evaluate((main) => {
      const { right } = main.getBoundingClientRect();
      return [...main.querySelectorAll('section:not(:has(svg)) *')]
        .filter((part) => part.getBoundingClientRect().right > right || part.scrollWidth > part.clientWidth + 1)
        .map((part) => part.outerHTML);
    });
    expect(cut).toEqual([]);
    const rates = await boxOf(other.page.getByRole('region', { name: 'Last minute', exact: true }));
    expect(rates.width).toBe(390 - 2 * 16);
    await other.leave();
  });

  it('keeps the menu of a page beside its range, which is below a title that leaves no room', async () => {
    await page.goto('/status');
    const range = await boxOf(page.getByRole('group', { name: 'Period' }));
    const menu = await boxOf(page.getByRole('main').getByRole('button', { name: 'More actions', exact: true }));
    expect(Math.abs(range.y + range.height / 2 - menu.y - menu.height / 2)).toBeLessThan(2);
    expect(menu.x).toBeGreaterThan(range.x + range.width);
  });

  it('has the range and the filters of the dashboard behind two buttons', async () => {
    await page.goto('/detail');
    await page.getByRole('button', { name: /^Time range/ }).click();
    await page.getByRole('button', { name: 'Day', exact: true }).click();
    await page.getByRole('button', { name: '30 days' }).click();
    await openFilter(page, 'Username');
    await page.getByRole('textbox', { name: 'Username' }).fill('no-such-user');
    await page.keyboard.press('Enter');
    await page.getByText('No calls by a user named “no-such-user” in this range.').waitFor();
    expect(new URL(page.url()).searchParams.toString()).toBe('by=day&days=30&user=no-such-user');
    await page.getByRole('button', { name: 'Username: no-such-user' }).waitFor();
  });
});

it('keeps two fields beside each other on one line when one of them shows an error', async () => {
  await page.goto('/redemption?row=new');
  const form = page.getByRole('dialog');
  const [amount, count] = [form.locator('input[name=amount]'), form.locator('input[name=count]')];
  const line = async () => {
    const boxes = [await boxOf(amount), await boxOf(count)];
    expect(new Set(boxes.map(({ y, height }) => `${String(y)} + ${String(height)}`)).size).toBe(1);
    return boxes.map(({ x }) => x);
  };
  const [left = 0, right = 0] = await line();
  expect(left).toBeLessThan(right);
  for (const [one, other, wrong, good] of [
    [amount, count, '0', '0.2'],
    [count, amount, '0', '1'],
  ] as const) {
    await one.fill(wrong);
    await form.getByRole('button', { name: 'Create codes' }).click();
    await form.locator('[aria-invalid=true]').waitFor();
    expect(await one.getAttribute('aria-invalid')).toBe('true');
    expect(await other.getAttribute('aria-invalid')).not.toBe('true');
    expect(await line()).toEqual([left, right]);
    await one.fill(good);
  }
});

it('aligns the texts of a statement left and its figures right', async () => {
  const query = async (text: string, values: readonly unknown[]) =>
    (await database.query<{ id: number }>(text, [...values])).rows;
  await page.goto(`/statements/${await addStatement(query, 1)}`);
  await page.getByRole('region', { name: 'Usage', exact: true }).waitFor();
  const sides = (name: string) =>
    page
      .getByRole('region', { name, exact: true })
      .locator('tr')
      .evaluateAll((lines) =>
        lines.map((line) => [...line.children].map((cell) => getComputedStyle(cell).textAlign).join(' ')),
      );
  const [payment, usage] = ['left left left right', 'left left right right right right'];
  expect(await sides('Payments')).toEqual([payment, payment]);
  expect(await sides('Usage')).toEqual([usage, usage]);
});

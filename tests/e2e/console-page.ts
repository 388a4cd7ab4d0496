import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Page, type Request } from 'playwright-core';
import { findBrowser } from '../support/services/browser.js';

const output = join(import.meta.dirname, '../.output');
/** Whether `photograph` saves anything. A failed test is photographed in any case. */
export const takesPictures = process.env.TEST_PICTURES === 'true';

/** A visitor of the console in a real browser, who records all errors. */
export interface Visitor {
  readonly page: Page;
  /** Console errors and warnings, exceptions, failed requests and refused ones, in order. */
  readonly complaints: readonly string[];
  /** Forgets the complaints so far, after a test has checked them. */
  forget(): void;
  /** With TEST_PICTURES=true: saves the screen as `tests/.output/NAME.png`. */
  photograph(name: string): Promise<void>;
  leave(): Promise<void>;
}

/**
 * Pages of tests live for seconds: optimized code and parallel collections take a third of the CPU of a page and gain
 * nothing.
 */
const lessCompilation = '--js-flags=--no-opt,--no-maglev,--single-threaded-gc';

/** @param compilation parameters for the compiler of pages; benchmarks use none, as real browsers do */
export async function openBrowser(compilation: readonly string[] = [lessCompilation]): Promise<Browser> {
  const found = findBrowser();
  if (!found) throw new Error('no Chromium: set CHROMIUM_PATH or install one');
  return chromium.launch({ executablePath: found.path, args: ['--no-sandbox', '--disable-gpu', ...compilation] });
}

interface Requests {
  readonly inFlight: Set<Request>;
  /** Number of requests so far, including those that ended. */
  total: number;
}
const requestsOf = new Map<Page, Requests>();

/** Called by `support/environment.mjs` when a test fails. */
Object.assign(globalThis, {
  onTestFailure: async (test: string) => {
    const name = test.replace(/\W+/g, '-').slice(0, 80);
    for (const [index, page] of [...requestsOf.keys()].entries()) {
      await savePicture(page, `failed-${name}-${String(index)}`).catch(() => undefined);
    }
  },
});

async function savePicture(page: Page, name: string): Promise<void> {
  mkdirSync(output, { recursive: true });
  await page.screenshot({ path: join(output, `${name}.png`) });
}

/** Opens a filter of a list, of which the button offers several. */
export async function openFilter(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Add filter', exact: true }).click();
  await page.getByRole('menuitem', { name, exact: true }).click();
}

/** Chooses an entry of the menu of a page. */
export async function chooseOfPage(page: Page, entry: string): Promise<void> {
  await page.getByRole('button', { name: 'More actions', exact: true }).click();
  const menu = page.getByRole('menu');
  await menu.getByText(entry, { exact: true }).click();
}

/** Waits until the page has nothing left to compute and has drawn the result. */
export const drawn = (page: Page): Promise<void> =>
  page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const twoFrames = () => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)));
        // After a touch, Chromium may report no idle time while nothing else happens.
        requestIdleCallback(twoFrames, { timeout: 200 });
      }),
  );

/**
 * Waits until the page is idle, no part of it is marked as busy and no request is in flight, twice in a row without a new
 * request in between: a response may cause the next request. Playwright's `networkidle` does not work behind sign-in,
 * because live updates keep a stream open. This shows that nothing more happens by itself. To wait for the effect of an action, wait for the effect.
 * @throws when requests are in flight after `milliseconds`
 */
export async function settled(page: Page, milliseconds = 30_000): Promise<void> {
  const requests = requestsOf.get(page);
  if (!requests) throw new Error('this page was not opened by visit()');
  const deadline = Date.now() + milliseconds;
  const busy = page.locator('[aria-busy=true]:visible, [aria-busy=true][hidden]');
  for (let quiet = 0, before = -1; quiet < 2;) {
    await drawn(page);
    const isBusy = requests.inFlight.size > 0 || (await busy.count()) > 0;
    quiet = !isBusy && requests.total === before ? quiet + 1 : 0;
    before = requests.total;
    if (Date.now() > deadline) {
      throw new Error(`still busy, or in flight: ${[...requests.inFlight].map((one) => one.url()).join(' ')}`);
    }
    await page.waitForTimeout(quiet === 0 ? 50 : 20);
  }
}

/**
 * Waits until `read` returns the expected value. Use it for effects that no element shows, such as the address, the
 * focus, or the clipboard, which is written after the click.
 * @throws the difference, if the value is not expected within 30 seconds
 */
export async function untilEqual(read: () => Promise<unknown>, expected: unknown): Promise<void> {
  for (const deadline = Date.now() + 30_000; ;) {
    const value = await read();
    try {
      expect(value).toEqual(expected);
      return;
    } catch (difference) {
      if (Date.now() > deadline) throw difference;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export const copied = (page: Page): Promise<string> => page.evaluate(() => navigator.clipboard.readText());

export async function visit(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Visitor> {
  const context = await browser.newContext({
    baseURL: url,
    locale: 'en-US',
    colorScheme: 'light',
    // Animations are drawn frame by frame. Files that measure movement enable them.
    reducedMotion: 'reduce',
    viewport: { width: 1440, height: 900 },
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const complaints: string[] = [];
  const requests: Requests = { inFlight: new Set(), total: 0 };
  requestsOf.set(page, requests);
  page.on('close', () => requestsOf.delete(page));
  page.on('request', (request) => {
    if (request.url().endsWith('/graphql/stream')) return;
    requests.inFlight.add(request);
    requests.total += 1;
  });
  for (const end of ['requestfinished', 'requestfailed'] as const) {
    page.on(end as 'requestfinished', (request) => void requests.inFlight.delete(request));
  }
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`exception: ${error.message}`));
  page.on('requestfailed', (request) => {
    // A query that a newer one replaced is cancelled on purpose.
    const reason = request.failure()?.errorText ?? '';
    if (reason !== 'net::ERR_ABORTED') complaints.push(`failed: ${request.url()} ${reason}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`refused: ${response.status()} ${response.url()}`);
  });
  return {
    page,
    complaints,
    forget: () => void complaints.splice(0),
    photograph: async (name) => {
      if (takesPictures) await savePicture(page, name);
    },
    leave: () => context.close(),
  };
}

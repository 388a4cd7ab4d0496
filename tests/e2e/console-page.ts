import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Page, type Request } from 'playwright-core';
import { findBrowser } from '../support/services/browser.js';

const output = join(import.meta.dirname, '../.output');

/** A visitor of the console in a real browser, who remembers everything that went wrong. */
export interface Visitor {
  readonly page: Page;
  /** Console errors and warnings, exceptions, failed requests and refused ones, in order. */
  readonly complaints: readonly string[];
  /** Lets what went wrong until now be, once a test has looked at it. */
  forget(): void;
  /** Saves what is on the screen under `tests/.output`. */
  photograph(name: string): Promise<void>;
  leave(): Promise<void>;
}

export async function openBrowser(): Promise<Browser> {
  const found = findBrowser();
  if (!found) throw new Error('no Chromium: set CHROMIUM_PATH or install one');
  return chromium.launch({ executablePath: found.path, args: ['--no-sandbox', '--disable-gpu'] });
}

const inFlight = new WeakMap<Page, Set<Request>>();
const quietMilliseconds = 400;

/**
 * Waits until nothing is asked of the server any more. Playwright's own `networkidle` never comes behind sign-in: what is
 * live keeps a stream open.
 */
export async function settled(page: Page, milliseconds = 10_000): Promise<void> {
  const asked = inFlight.get(page);
  if (!asked) throw new Error('this page was not opened by visit()');
  const deadline = Date.now() + milliseconds;
  for (let quietSince = Date.now(); Date.now() - quietSince < quietMilliseconds; await page.waitForTimeout(50)) {
    if (asked.size > 0) quietSince = Date.now();
    if (Date.now() > deadline) throw new Error(`still asked for: ${[...asked].map((one) => one.url()).join(' ')}`);
  }
}

export async function visit(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Visitor> {
  const context = await browser.newContext({
    baseURL: url,
    locale: 'en-US',
    colorScheme: 'light',
    viewport: { width: 1440, height: 900 },
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const complaints: string[] = [];
  const asked = new Set<Request>();
  inFlight.set(page, asked);
  page.on('request', (request) => {
    if (!request.url().endsWith('/graphql/stream')) asked.add(request);
  });
  for (const end of ['requestfinished', 'requestfailed'] as const) {
    page.on(end as 'requestfinished', (request) => void asked.delete(request));
  }
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`exception: ${error.message}`));
  page.on('requestfailed', (request) => {
    // A query that a newer one replaced is given up on purpose.
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
      mkdirSync(output, { recursive: true });
      await page.screenshot({ path: join(output, `${name}.png`) });
    },
    leave: () => context.close(),
  };
}

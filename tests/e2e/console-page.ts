import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
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

/**
 * `LIGHTHOUSE=<folder> npm run bench -- lighthouse [runs]`: Lighthouse scores of sign-in, log and channels on a
 * seeded site; the median of the runs. `<folder>` is one in which `npm install lighthouse@12` was run: it is too large
 * for a dependency. Needs a database (TEST_DATABASE_URL), a Chromium, and the built console.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { openSite } from '../e2e/console-site.js';
import { rootPassword } from '../support/api.js';
import { findBrowser } from '../support/services/browser.js';
import { freePort } from '../support/services/processes.js';

interface Report {
  readonly categories: Readonly<Record<string, { readonly score: number | null }>>;
  readonly audits: Readonly<Record<string, { readonly numericValue?: number; readonly score: number | null }>>;
}
type Lighthouse = (url: string, flags: object, config?: object) => Promise<{ lhr: Report } | undefined>;

const folder = process.env.LIGHTHOUSE;
if (!folder) throw new Error('set LIGHTHOUSE to a folder with lighthouse installed');
const runs = Number(process.argv[2] ?? '3');
const entry = pathToFileURL(createRequire(join(folder, 'package.json')).resolve('lighthouse')).href;
const { default: lighthouse, desktopConfig } = (await import(entry)) as {
  default: Lighthouse;
  desktopConfig: object;
};
const found = findBrowser();
if (!found) throw new Error('no Chromium: set CHROMIUM_PATH or install one');

const middle = (values: readonly number[]): number =>
  [...values].sort((one, two) => one - two)[Math.floor(values.length / 2)] ?? 0;

const site = await openSite();
const profile = await mkdtemp(join(tmpdir(), 'tollgate-lighthouse-'));
const port = await freePort();
const context = await chromium.launchPersistentContext(profile, {
  executablePath: found.path,
  args: ['--no-sandbox', '--disable-gpu', `--remote-debugging-port=${String(port)}`],
  locale: 'en-US',
});

/** Clears cached files of earlier loads. Lighthouse itself would clear the session too. */
async function clearCache(): Promise<void> {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.clearBrowserCache');
  await page.close();
}

async function measure(path: string, config: object | undefined, isCold: boolean): Promise<void> {
  const reports: Report[] = [];
  for (let run = 0; run < runs; run += 1) {
    if (isCold) await clearCache();
    const result = await lighthouse(
      site.server.url + path,
      // Live updates keep a stream open, so the network never becomes idle.
      { port, disableStorageReset: true, onlyCategories: ['performance', 'accessibility'], maxWaitForLoad: 12_000 },
      config,
    );
    if (result) reports.push(result.lhr);
  }
  const score = (name: string) =>
    Math.round(middle(reports.map(({ categories }) => categories[name]?.score ?? 0)) * 100);
  const audit = (name: string) => middle(reports.map(({ audits }) => audits[name]?.numericValue ?? 0));
  console.log(
    [
      path.padEnd(10),
      (config ? 'desktop' : 'phone').padEnd(8),
      (isCold ? 'first' : 'again').padEnd(6),
      `performance ${String(score('performance'))}`,
      `accessibility ${String(score('accessibility'))}`,
      `first paint ${String(Math.round(audit('first-contentful-paint')))} ms`,
      `largest ${String(Math.round(audit('largest-contentful-paint')))} ms`,
      `blocked ${String(Math.round(audit('total-blocking-time')))} ms`,
      `shift ${audit('cumulative-layout-shift').toFixed(3)}`,
    ].join(' · '),
  );
  const failed = Object.entries(reports[0]?.audits ?? {}).filter(
    ([, { score: value, numericValue }]) => value !== null && value < 0.9 && numericValue === undefined,
  );
  for (const [name] of failed) console.log(`  not passed: ${name}`);
}

try {
  for (const config of [desktopConfig, undefined]) {
    for (const isCold of [true, false]) await measure('/login', config, isCold);
  }
  const page = await context.newPage();
  await page.goto(`${site.server.url}/login`);
  await page.getByLabel('Username or email').fill('root');
  await page.locator('input[name=password]').fill(rootPassword);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'API tokens' }).waitFor();
  await page.close();
  for (const path of ['/log', '/channel']) {
    for (const config of [desktopConfig, undefined]) {
      for (const isCold of [true, false]) await measure(path, config, isCold);
    }
  }
} finally {
  await context.close();
  await site.server.stop();
  await rm(profile, { recursive: true, force: true });
}

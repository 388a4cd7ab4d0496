import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { startServer, type LocalServer } from '../support/server.js';

const root = join(import.meta.dirname, '../../docs');
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .map((file) => file.split(sep).join('/'))
  .filter((file) => file.endsWith('.md'));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const addressOf = (file: string): string => `/docs/${file.replace(/(?:^|\/)README\.md$|\.md$/, '')}`.replace(/\/$/, '');
const contents = JSON.parse(read('site/contents.json')) as ReadonlyArray<{ pages: readonly string[] }>;
const listed = contents.flatMap(({ pages }) => pages);

let server: LocalServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const get = (url: string, headers: Record<string, string> = {}) => server.app.inject({ url, headers });

const attributes = (html: string, name: string): string[] =>
  [...html.matchAll(new RegExp(` ${name}="([^"]*)"`, 'g'))].map((match) =>
    (match[1] ?? '').replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code))),
  );

/** Returns the depths of the headings outside of code blocks, in order. */
const outline = (file: string): number[] =>
  [
    ...read(file)
      .replace(/^```[\s\S]*?^```/gm, '')
      .matchAll(/^(#+) /gm),
  ].map((match) => match[1]!.length);

describe('/docs', () => {
  it.each([
    ['/docs', 'API reference'],
    ['/docs/zh', 'API 参考（英文）'],
  ])('the side bar of %s has the API reference', async (address, label) => {
    expect((await get(address)).body).toContain(`<a href="/docs/api">${label}</a>`);
  });

  it('serves every file as a page whose links and anchors lead somewhere', async () => {
    const pages = new Map<string, string>();
    const open = async (path: string): Promise<string> => {
      const known = pages.get(path);
      if (known !== undefined) return known;
      const response = await get(path);
      const body = response.statusCode === 200 ? response.body : '';
      pages.set(path, body);
      return body;
    };
    const ids = new Map<string, ReadonlySet<string>>();
    const idsOf = (path: string, html: string): ReadonlySet<string> => {
      const found = ids.get(path) ?? new Set(attributes(html, 'id'));
      ids.set(path, found);
      return found;
    };
    const broken: string[] = [];
    const translated = listed.map((name) => addressOf(`zh/${name}.md`));
    for (const address of new Set([...files.map(addressOf), ...translated])) {
      const html = await open(address);
      expect([address, html.slice(0, 15)]).toEqual([address, '<!doctype html>']);
      for (const link of [...attributes(html, 'href'), ...attributes(html, 'src')]) {
        const { pathname, hash, host } = new URL(link, `http://site${address}`);
        if (host !== 'site' || pathname === '/') continue;
        const target = await open(pathname);
        const hasAnchor = hash === '' || idsOf(pathname, target).has(decodeURIComponent(hash.slice(1)));
        if (target === '' || !hasAnchor) broken.push(`${address}: ${link}`);
      }
    }
    expect(broken).toEqual([]);
  });

  it('names no file that is missing, where a link of a file leads to no page', async () => {
    const missing: string[] = [];
    for (const file of files) {
      const text = read(file).replace(/^```[\s\S]*?^```/gm, '');
      for (const [, href = ''] of text.matchAll(/\]\((?!https?:|mailto:|#|\/)([^)#\s]+)[^)]*\)/g)) {
        if (!existsSync(join(root, file, '..', href))) missing.push(`${file}: ${href}`);
      }
    }
    expect(missing).toEqual([]);
  });

  it('gives each Chinese page the headings of its English one', () => {
    const chinese = files.filter((file) => file.startsWith('zh/'));
    const differing = chinese.filter((file) => {
      const english = file.slice('zh/'.length);
      return !files.includes(english) || outline(file).join() !== outline(english).join();
    });
    expect(differing).toEqual([]);
  });

  it('serves the file of each page under .md', async () => {
    for (const file of files) {
      const { headers, body } = await get(`/docs/${file}`);
      expect([file, headers['content-type']]).toEqual([file, 'text/markdown; charset=utf-8']);
      expect(body).toBe(read(file));
      const html = (await get(addressOf(file))).body;
      expect(html).toContain(`type="text/markdown" href="/docs/${file}"`);
    }
  });

  it('lists every guide and client in the side bar', () => {
    const own = files.filter((file) => /^(?:guide|clients)\//.test(file)).map((file) => file.slice(0, -'.md'.length));
    expect(own.filter((name) => !listed.includes(name))).toEqual([]);
  });

  it('serves an untranslated page in English inside the Chinese frame', async () => {
    const { body } = await get('/docs/zh/reference/relay/limits');
    expect(body).toContain('<html lang="zh-CN">');
    expect(body).toContain('<main id="content" lang="en">');
    expect(body).toContain('本页只有英文。');
  });

  it('runs no script but its own, and answers an unchanged page with 304', async () => {
    const { headers, body } = await get('/docs');
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(body).not.toMatch(/<script(?! src="\/docs\/site\/docs\.js" defer>)|<style| style=| on\w+=/);
    const again = await get('/docs', { 'if-none-match': String(headers.etag) });
    expect([again.statusCode, again.body]).toEqual([304, '']);
    expect((await get('/docs', { 'if-none-match': '"another"' })).statusCode).toBe(200);
  });

  it('answers 404 for a page, a file and a path outside of the folder', async () => {
    for (const url of ['/docs/none', '/docs/zh/none', '/docs/none.md', '/docs/..%2fpackage.json', '/docs/site']) {
      const { statusCode, body } = await get(url);
      expect([url, statusCode]).toEqual([url, 404]);
      expect(body).not.toContain('"dependencies"');
    }
  });

  it('has an index of each language in which a word of a page is found with its anchor', async () => {
    const index = (await get('/docs/search-en.json')).json<string[][]>();
    const found = index.filter(([, , heading]) => heading === 'rejected.jsonl').map(([url]) => url);
    expect(found).toEqual(['/docs/guide/operations#rejectedjsonl']);
    expect(index.some(([url]) => url?.startsWith('/docs/adr/'))).toBe(false);
    expect((await get('/docs/search-zh.json')).json<string[][]>().length).toBeGreaterThan(100);
  });
});

describe('/llms.txt', () => {
  it('lists the Markdown of every page of the side bar with a summary', async () => {
    const { body, headers } = await get('/llms.txt');
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    const lines = [...body.matchAll(/^- \[.+\]\((\/docs\/\S+\.md)\): \S.+$/gm)].map((match) => match[1]);
    expect(lines).toEqual(listed.map((name) => `/docs/${name}.md`));
    for (const url of lines) expect([url, (await get(url!)).statusCode]).toEqual([url, 200]);
  });
});

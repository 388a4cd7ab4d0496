import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConsolePage } from '../../server/src/platform/http/console-page.js';
import { Site, type Person } from '../contract/site.js';

let site: Site;
let root: Person;
beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
});
afterAll(() => site.stop());

const texts = [
  ['Notice', '/api/notice', 'notice'],
  ['About', '/api/about', 'about'],
  ['HomePageContent', '/api/home_page_content', 'homePageContent'],
] as const;
const set = (key: string, value: string) => site.expectSuccess(root, 'PUT', '/api/option/', { key, value });
const footer = async (): Promise<unknown> =>
  ((await site.rest(null, 'GET', '/api/status')).body.data as Record<string, unknown>)['footer_html'];

describe('XSS by what admins write', () => {
  const attacks = [
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<svg onload=alert(1)><script>alert(1)</script></svg>',
    '<a href="javascript:alert(1)">x</a>',
    '<a href="&#106;avascript:alert(1)">x</a>',
    '<a href="java\tscript:alert(1)">x</a>',
    '<iframe src="https://evil.example"></iframe>',
    '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    '<form action="https://evil.example"><input name="password"></form>',
    '<object data="data:text/html,<script>alert(1)</script>"></object>',
    '<base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=https://evil.example">',
    '<style>body{display:none}</style><p style="position:fixed">x</p>',
    '<math><mtext></mtext><style><img src=x onerror=alert(1)></style></math>',
    '<scr<script>ipt>alert(1)</scr</script>ipt>',
    '[x](javascript:alert(1)) and [y]: \n[y]: javascript:alert(1)',
  ];
  const active =
    /<(script|iframe|form|input|object|embed|svg|math|style|meta|base|link)\b|\son\w+\s*=|style\s*=|(["(]|:\s)\s*javascript:/i;

  it.each(attacks)('%s does nothing on any way out', async (attack) => {
    for (const [key, path, field] of texts) {
      await set(key, `<b>shown</b> ${attack}`);
      const shown = (await site.rest(null, 'GET', path)).body.data as string;
      expect(shown).toContain('<b>shown</b>');
      expect(shown).not.toMatch(active);
      expect((await site.graphql(null, `{ ${field} }`)).data?.[field]).toBe(shown);
    }
    await set('Footer', attack);
    expect(await footer()).not.toMatch(active);
    const { data } = await site.graphql(null, '{ status { footerHtml } }');
    expect((data?.['status'] as { footerHtml: string | null }).footerHtml ?? '').toBe(await footer());
  });

  it.each([
    ['# Title\n\n> quoted & more\n\n`a && b`', '# Title\n\n> quoted & more\n\n`a && b`'],
    ['https://about.example.com/page?a=1&b=2', 'https://about.example.com/page?a=1&b=2'],
    ['> quoted\n\n<b>bold</b>', '> quoted\n\n<b>bold</b>'],
    [
      '<p align="center"><a href="https://x.yz" target="_blank">x</a><img src="https://x.yz/a.png" alt="a"></p>',
      '<p align="center"><a href="https://x.yz" target="_blank" rel="noopener noreferrer">x</a>' +
        '<img src="https://x.yz/a.png" alt="a" /></p>',
    ],
    ['', ''],
  ])('%j stays what it is', async (written, shown) => {
    await set('About', written);
    expect((await site.rest(null, 'GET', '/api/about')).body.data).toBe(shown);
    // An editor gets the text as it was written.
    const { data } = await site.graphql(root, '{ options(filter: { keys: ["About"] }) { items { value } } }');
    expect(data?.['options']).toEqual({ items: [{ value: written }] });
  });
});

describe('the console’s page', () => {
  it('allows its own scripts alone, escapes the name of the site, and changes its nonce', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-page-'));
    await writeFile(join(folder, 'index.html'), '<html><head><title>x</title></head></html>');
    const systemName = '</title><script>alert(1)</script>';
    const status = async () => ({ system_name: systemName });
    const page = new ConsolePage(folder, () => ({
      systemName,
      turnstile: false,
      telegram: false,
      chatLinks: [],
      checkoutAddresses: [],
      status,
    }));
    const send = async () => {
      const sent = { headers: {} as Record<string, string>, body: '' };
      const reply = {
        status: () => reply,
        headers: (all: Record<string, string>) => (Object.assign(sent.headers, all), reply),
        header: (name: string, value: string) => ((sent.headers[name] = value), reply),
        type: () => reply,
        send: (body: string) => ((sent.body = body), reply),
      };
      await page.send({ url: '/', headers: {} } as never, reply as never);
      return sent;
    };
    const [one, two] = [await send(), await send()];
    await rm(folder, { recursive: true });
    expect(one.body).not.toContain('<script>');
    const policy = one.headers['content-security-policy'] ?? '';
    expect(policy).toMatch(/script-src 'self'(;|$)/);
    expect(policy).toContain("object-src 'none'");
    expect(policy).toContain("base-uri 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe-(inline|eval)/);
    expect(policy).not.toBe(two.headers['content-security-policy']);
    expect(one.headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' });
  });

  it('answers of the API can be neither framed nor run', async () => {
    const { headers } = await site.rest(null, 'GET', '/api/status');
    expect(headers.get('content-security-policy')).toBe("default-src 'none';frame-ancestors 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });
});

/**
 * Drawings whose provider bills the GPU time that a request asks for, by any name that it understands. The relay refuses a
 * request for more than one drawing of usual speed and quality, or sends it without that, and charges what it sent.
 */
import { eventually, TaskSite } from '../support/task-site.js';
import { json } from '../support/upstream/replies.js';
import type { ReceivedRequest, Reply } from '../support/upstream/upstream.js';
import { pricedPaths } from './priced-table.js';

type Fields = Record<string, unknown>;
type Path = (typeof pricedPaths.drawings)[number];

let site: TaskSite;
/** A finished drawing of the user. */
let done: string;

/** Quota of a drawing at the prices of the site. */
const prices: Readonly<Record<Path, number>> = {
  '/mj/submit/imagine': 50_000,
  '/mj/submit/describe': 25_000,
  '/mj/submit/blend': 50_000,
  '/mj/submit/shorten': 50_000,
  '/mj/submit/modal': 50_000,
  '/mj/submit/change': 25_000,
  '/mj/submit/simple-change': 25_000,
  '/mj/submit/action': 25_000,
  '/mj/submit/upload-discord-images': 25_000,
  '/mj/insight-face/swap': 25_000,
};
const image = 'data:image/png;base64,aGk=';
const bodyOf = (path: Path): Fields =>
  ({
    '/mj/submit/imagine': { prompt: 'a lighthouse' },
    '/mj/submit/describe': { base64: image },
    '/mj/submit/blend': { base64Array: [image, image] },
    '/mj/submit/shorten': { prompt: 'a lighthouse' },
    '/mj/submit/modal': { taskId: done, prompt: 'a lighthouse' },
    '/mj/submit/change': { taskId: done, action: 'UPSCALE', index: 1 },
    '/mj/submit/simple-change': { content: `${done} u1` },
    '/mj/submit/action': { taskId: done, customId: 'MJ::JOB::upsample::1::uuid' },
    '/mj/submit/upload-discord-images': { base64Array: [image] },
    '/mj/insight-face/swap': { sourceBase64: image, targetBase64: image },
  })[path];

beforeAll(async () => {
  site = await TaskSite.open({}, 500_000_000);
  const models = ['mj_blend', 'mj_shorten', 'mj_describe', 'mj_modal', 'mj_upscale', 'mj_upload', 'swap_face'];
  const more = { baseUrl: site.upstream.url, key: 'sk-more' };
  await site.server.api.createChannel(site.root, { ...more, type: 2, models });
  const { body } = await site.call('POST', '/mj/submit/imagine', { prompt: 'the first' });
  done = body['result'] as string;
  site.tasks.reported.set(done, { status: 'SUCCESS', progress: '100%', imageUrl: 'https://images.example/1.png' });
  await eventually(
    () => site.call('GET', `/mj/task/${done}/fetch`),
    (answer) => answer.body['progress'] === '100%',
  );
});
afterAll(async () => {
  expect(await site.drift()).toEqual([]);
  await site.close();
});
beforeEach(async () => {
  site.script();
  bills.length = 0;
  site.upstream.script({}, (response, request) =>
    /submit|insight-face/i.test(request.path) ? draws(response, request) : json([])(response, request),
  );
});
afterEach(async () => {
  for (const key of ['MjModeClearEnabled', 'MjAccountFilterEnabled']) await site.setOption(key, 'false');
  await site.setOption('UnpricedTools', 'refuse');
});

/** Factors of a usual drawing that the provider bills, one for each submission. */
const bills: number[] = [];
/**
 * Bills as Midjourney does: twice the time in turbo, which the path, an account or the prompt may choose, more for a higher
 * quality, and each repetition (https://docs.midjourney.com/hc/en-us/articles/32016412137741 and
 * https://docs.midjourney.com/docs/repeat, November 2026). It reads names without regard to case, as ASP.NET does.
 */
const draws: Reply = (response, request) => {
  bills.push(factorOf(request));
  const result = site.tasks.nextName('billed');
  return json({ code: 1, description: 'Submit success', result, properties: {} })(response, request);
};
function factorOf({ path, body }: ReceivedRequest): number {
  const given = body?.['prompt'];
  const prompt = typeof given === 'string' ? given : '';
  const chosen = `${decodeURIComponent(path.split('?')[0] ?? '')} ${JSON.stringify(body?.['accountFilter'] ?? '')}`;
  const dash = '(?:--|[\\u2012-\\u2015])\\s*';
  const isTurbo = /turbo/i.test(chosen) || new RegExp(`${dash}turbo(?![\\w-])`, 'i').test(prompt);
  const [, quality = '1'] = new RegExp(`${dash}(?:quality|q)\\s*([\\d.]+)`, 'i').exec(prompt) ?? [];
  const [, times = '1'] = new RegExp(`${dash}(?:repeat|r)\\s*(\\d+)`, 'i').exec(prompt) ?? [];
  return (isTurbo ? 2 : 1) * Math.max(1, Number(quality)) * Number(times);
}

/**
 * Submits a drawing, and expects that it is refused by this code, or charged by what the provider bills.
 * @returns the request that the provider got; undefined when it was refused
 */
async function submit(path: string, body: Fields, price: number, code?: string): Promise<ReceivedRequest | undefined> {
  site.upstream.requests.length = 0;
  bills.length = 0;
  const { quota } = await site.balances();
  const { status, body: answer } = await site.call('POST', path, body);
  const charged = quota - (await site.balances()).quota;
  const sent = site.upstream.requests.find(({ path: at }) => /submit|insight-face/i.test(at));
  const shown = [path, JSON.stringify(body).slice(-100)];
  if (code !== undefined) {
    expect([...shown, status, answer['description'], sent?.path, charged]).toEqual([...shown, 400, code, undefined, 0]);
    return undefined;
  }
  expect([...shown, status, charged]).toEqual([...shown, 200, price * (bills[0] ?? NaN)]);
  expect(bills).toEqual([1]);
  return sent;
}

it.each(pricedPaths.drawings)('is charged as it is sent: %s', async (path) => {
  for (const name of ['n', 'count', 'repeat', 'mode', 'speed']) {
    for (const value of ['128', 2, [2], 'turbo']) {
      const sent = await submit(path, { ...bodyOf(path), [name]: value }, prices[path]);
      expect(sent?.body).toEqual(bodyOf(path));
    }
  }
});

describe('a prompt', () => {
  const padding = 'a lighthouse '.repeat(2000);
  const dear = [
    ...['--turbo', '--TURBO', '\u2014turbo', '\u2013turbo', '--  turbo', '--turbo --ar 1:1', `${padding}--turbo`],
  ];
  const better = ['--q 2', '--quality 4', '--Q 2', '\u2014q 2', '--q 02', '--q 1.5', '--quality\t2', `${padding}--q 4`];
  const paths = ['/mj/submit/imagine', '/mj/submit/shorten', '/mj/submit/modal', '/mj/submit/blend'] as const;

  it.each(paths)('that asks for more GPU time is refused at %s', async (path) => {
    for (const text of dear) await submit(path, { ...bodyOf(path), prompt: `a ${text}` }, 0, 'turbo_has_no_price');
    for (const text of better) await submit(path, { ...bodyOf(path), prompt: `a ${text}` }, 0, 'quality_has_no_price');
    const more = { ...bodyOf(path), prompt: `${padding}--repeat 9` };
    await submit(path, more, 0, 'repeat_is_not_supported');
  });

  it.each([[['--repeat 9']], [{ text: '--turbo' }], [7], [true]])('that is no text is refused: %j', async (prompt) => {
    for (const path of paths) await submit(path, { ...bodyOf(path), prompt }, 0, 'prompt_must_be_text');
  });

  it.each(['a --fast', 'a --relax', 'a --q 1', 'a --q .25', 'a --quality 0.5 --ar 2:3', 'a turbo, --no turbo', 'q 2'])(
    'of usual GPU time is sent as it is: %s',
    async (prompt) => {
      const sent = await submit('/mj/submit/imagine', { prompt }, prices['/mj/submit/imagine']);
      expect(sent?.body).toEqual({ prompt });
    },
  );

  it('is sent without its speed where the site removes it', async () => {
    await site.setOption('MjModeClearEnabled', 'true');
    for (const text of dear) {
      const sent = await submit('/mj/submit/imagine', { prompt: `a ${text}` }, prices['/mj/submit/imagine']);
      expect(String(sent?.body?.['prompt'])).not.toMatch(/turbo/i);
    }
    await submit('/mj/submit/imagine', { prompt: '--tur--fastbo -- --fast turbo' }, 0, 'turbo_has_no_price');
  });

  it('may ask for turbo where the site gives away what has no price', async () => {
    await site.setOption('UnpricedTools', 'free');
    const { status } = await site.call('POST', '/mj/submit/imagine', { prompt: 'a --turbo --q 2' });
    expect([status, bills]).toEqual([200, [4]]);
  });
});

describe('a speed in the path', () => {
  it.each(['mj-turbo', 'MJ-TURBO', 'mj%2Dturbo', 'Mj-fast', 'mj-%74urbo', 'fast', 'relax'])(
    'makes no drawing dearer: %s',
    async (mode) => {
      const sent = await submit(`/${mode}/mj/submit/imagine`, { prompt: 'a' }, prices['/mj/submit/imagine']);
      expect(sent?.path).toBe(/^mj/i.test(mode) ? '/mj/submit/imagine' : `/${mode}/mj/submit/imagine`);
    },
  );

  it.each(['turbo', 'TURBO', 't%75rbo', 'xmj-turbo', 'mj.turbo'])('is refused: %s', async (mode) => {
    await submit(`/${mode}/mj/submit/imagine`, { prompt: 'a' }, 0, 'turbo_has_no_price');
    await submit(`/${mode}/mj/submit/action`, bodyOf('/mj/submit/action'), 0, 'turbo_has_no_price');
  });

  it('of an account is refused where the site lets clients choose one', async () => {
    await site.setOption('MjAccountFilterEnabled', 'true');
    const filtered = (...modes: string[]): Fields => ({ prompt: 'a', accountFilter: { modes } });
    await submit('/mj/submit/imagine', filtered('FAST', 'Turbo'), 0, 'turbo_has_no_price');
    const sent = await submit('/mj/submit/imagine', filtered('FAST'), prices['/mj/submit/imagine']);
    expect(sent?.body).toEqual(filtered('FAST'));
  });
});

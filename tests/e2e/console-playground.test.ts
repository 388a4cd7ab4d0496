import type { Browser, Locator } from 'playwright-core';
import type { Person } from '../support/api.js';
import { startServer, type TestServer } from '../support/server.js';
import { embeds, speaks } from '../support/upstream/one-shots.js';
import { chat, events, json } from '../support/upstream/replies.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { wav } from '../support/wav.js';
import { copied, openBrowser, settled, untilEqual, visit, type Visitor } from './console-page.js';
import { enter, photographAll, sidewaysOverflow } from './console-session.js';

/** The playground, and the site's chat apps. */
// A machine with two cores that runs other work needs more time.
jest.setTimeout(120_000);

let server: TestServer;
let upstream: Upstream;
let browser: Browser;
let visitor: Visitor;
let root: Person;

const words = (text: string): string[] => text.match(/\S+\s*|\s+/g) ?? [];
const guide = [
  'Point the OpenAI client at the gateway and pass your token:\n\n',
  '```python\nclient = OpenAI(base_url="https://gate.example.com/v1", api_key="sk-…")\n',
  'for part in client.chat.completions.create(model="gpt-4o-mini", messages=messages, stream=True):\n',
  '    print(part.choices[0].delta.content or "", end="")\n```\n\n',
  'Then **stream** it. Never write <script>alert(1)</script> or [this](javascript:alert(1)).\n\n',
  '| Model | Price |\n|---|---|\n| gpt-4o-mini | $0.15 |\n',
];
const delta = (content: object, finish: string | null = null): string =>
  JSON.stringify({
    id: 'c',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta: content, finish_reason: finish }],
  });

beforeAll(async () => {
  [upstream, server, browser] = await Promise.all([startUpstream(), startServer(), openBrowser()]);
  root = await server.api.setUp();
  await server.api.createChannel(root, {
    baseUrl: upstream.url,
    models: ['gpt-4o-mini', 'gpt-4o', 'gpt-3.5-turbo'],
    group: 'default,vip',
  });
  await server.api.createChannel(root, {
    baseUrl: upstream.url,
    models: ['tts-1', 'text-embedding-3-small'],
    group: 'default,vip',
  });
  visitor = await visit(browser, server.url);
  await visitor.page
    .context()
    .route('https://chat.example/**', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Chat</title><h1>Chat app</h1>' }),
    );
  await enter(visitor);
});

afterAll(async () => {
  await browser.close();
  await server.stop();
  await upstream.stop();
});

/** Failed requests that the current test expects. */
let allowed: RegExp | null = null;
beforeEach(() => {
  allowed = null;
  upstream.reset();
});
afterEach(async () => {
  const left = visitor.complaints.filter((complaint) => !allowed?.test(complaint));
  visitor.forget();
  expect(left).toEqual([]);
});

const button = (name: string | RegExp): Locator => visitor.page.getByRole('button', { name });
const message = (): Locator => visitor.page.getByRole('textbox', { name: 'Your message' });
const answers = (): Locator => visitor.page.getByRole('article', { name: /^Response from/ });
const ask = async (text: string): Promise<void> => {
  await message().fill(text);
  await message().press('Enter');
};
/** Images attached to the message. */
const attached = (): Locator => visitor.page.getByRole('form', { name: 'Message' }).getByRole('img');
const sent = (index: number): Record<string, unknown> => upstream.requests[index]?.body ?? {};

it('stays without an enabled token, and leads to where one is made', async () => {
  const { page } = visitor;
  await page.goto('/playground');
  await page.getByRole('status').getByText('There are currently no enabled tokens available').waitFor();
  // On a busy machine, the redirect to the tokens comes first. The button there opens the same dialog.
  const create = page.getByRole('link', { name: 'Create token' }).or(button('Create token'));
  await create.first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).waitFor();
  await page.goto('/token');
  await server.api.createToken(root, { name: 'prod-web' });
});

it('offers what to begin with, and takes it into the composer', async () => {
  const { page } = visitor;
  await page.getByRole('link', { name: 'Playground' }).click();
  await page.getByRole('heading', { name: 'Start a conversation' }).waitFor();
  await photographAll(visitor, 'playground-empty');
  await button(/Explain how tokens are counted/).click();
  expect(await message().inputValue()).toContain('three sentences');
  expect(await sidewaysOverflow(visitor)).toBe(0);
});

it('streams an answer with code and tables, safely, and shows what it cost', async () => {
  const { page } = visitor;
  upstream.script(
    {},
    chat({
      text: words(guide.join('')),
      usage: { prompt_tokens: 412, completion_tokens: 188, total_tokens: 600 },
      gapMilliseconds: 5,
    }),
  );
  // The button exists while the response is streaming.
  await Promise.all([button('Stop').waitFor(), ask('How do I call this gateway from Python with streaming?')]);
  await page.getByText(/s · 412 → 188 tokens · \$0\.00\d{4}/).waitFor();
  const answer = answers().first();
  expect(await answer.getByRole('group', { name: 'Code python' }).innerText()).toContain('stream=True');
  expect(await answer.getByRole('table').innerText()).toContain('$0.15');
  expect(await answer.locator('script, [href^="javascript"]').count()).toBe(0);
  expect(await answer.innerText()).toContain('<script>alert(1)</script>');
  await answer.getByRole('button', { name: 'Copy', exact: true }).click();
  await untilEqual(() => copied(page), expect.stringMatching(/^client = OpenAI\(/));
  await answer.getByRole('button', { name: 'Copy response' }).click();
  await untilEqual(() => copied(page), guide.join(''));
  expect(sent(0)).toMatchObject({
    model: 'gpt-4o-mini',
    stream: true,
    temperature: 0,
    max_tokens: 2048,
    messages: [{ role: 'system', content: 'You are a helpful assistant.' }, { role: 'user' }],
  });
  expect(sent(0)).not.toHaveProperty('top_p');
});

it('takes its parameters along, by keyboard too', async () => {
  const { page } = visitor;
  await page.getByRole('slider', { name: 'Temperature' }).focus();
  for (let step = 0; step < 6; step++) await page.keyboard.press('ArrowRight');
  await page.getByLabel('Max tokens').fill('many');
  await page.getByText('Max tokens must be a whole number').waitFor();
  await page.getByLabel('Max tokens').fill('64');
  await page.getByLabel('System prompt').fill('Answer in one word.');
  await button('More parameters').click();
  await page.getByRole('slider', { name: 'Top P' }).focus();
  await page.keyboard.press('ArrowLeft');
  await page.getByRole('slider', { name: 'Presence penalty' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('combobox', { name: 'Group' }).click();
  await page.getByRole('option', { name: /^vip/ }).click();
  await page.getByRole('combobox', { name: 'Model', exact: true }).fill('4o');
  await page.getByRole('option', { name: 'gpt-4o', exact: true }).click();
  await ask('Hello?');
  await page.getByText(/12 → 5 tokens/).waitFor();
  expect(sent(0)).toMatchObject({
    model: 'gpt-4o',
    temperature: 0.7,
    max_tokens: 64,
    top_p: 0.95,
    presence_penalty: 0.1,
    messages: [{ role: 'system', content: 'Answer in one word.' }, {}, {}, { role: 'user', content: 'Hello?' }],
  });
  expect(sent(0)).not.toHaveProperty('frequency_penalty');
  expect(sent(0)).not.toHaveProperty('group');
  await photographAll(visitor, 'playground-parameters');
});

it('clears the context with a line, and tells the model nothing from above it', async () => {
  const { page } = visitor;
  await button('Clear context').click();
  await page.getByRole('separator').getByText('Context cleared').waitFor();
  await ask('And what does one call cost?');
  await page
    .getByText(/12 → 5 tokens/)
    .nth(1)
    .waitFor();
  expect((sent(0)['messages'] as unknown[]).length).toBe(2);
  await photographAll(visitor, 'playground-conversation');
});

it('stops an answer, keeps what came, and says what that cost', async () => {
  const numbers = Array.from({ length: 58 }, (_, index) => String(index + 3));
  upstream.script({}, chat({ text: words(`one two ${numbers.join(' ')} done`), gapMilliseconds: 400 }));
  await ask('Count slowly');
  await answers().last().getByText('one two').waitFor();
  await photographAll(visitor, 'playground-streaming');
  await message().press('Escape');
  await answers()
    .last()
    .getByText(/Stopped · .* · \d+ → \d+ tokens · \$0\.\d{6}/)
    .waitFor();
  expect(await answers().last().innerText()).not.toContain('done');
});

it('leaves a reader who scrolled up where he is, until he asks for the end', async () => {
  const { page } = visitor;
  await button('Jump to latest').waitFor({ state: 'detached' });
  const log = page.getByRole('log', { name: 'Conversation' });
  await log.evaluate((element) => element.scrollTo(0, 0));
  await button('Jump to latest').waitFor();
  await photographAll(visitor, 'playground-jump');
  expect(await log.evaluate((element) => element.scrollTop)).toBe(0);
  await button('Jump to latest').click();
  await button('Jump to latest').waitFor({ state: 'detached' });
  await untilEqual(
    () => log.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight < 2),
    true,
  );
});

it('shows a failure at its answer, and tries it once more', async () => {
  const { page } = visitor;
  allowed = /status of 400|refused: 400/;
  upstream.script(
    {},
    json({ error: { message: 'This model does not like the question', type: 'invalid_request_error' } }, 400),
    chat({ text: 'Now it does' }),
  );
  await ask('Try me');
  await answers().last().getByRole('alert').getByText('does not like the question').waitFor();
  await photographAll(visitor, 'playground-error');
  await answers().last().getByRole('button', { name: 'Retry' }).click();
  await answers().last().getByText('Now it does').waitFor();
  expect(await page.getByText('Try me').count()).toBe(1);
});

it('asks an edited question in its place, and deletes a pair', async () => {
  const { page } = visitor;
  const before = await answers().count();
  await page.getByText('Try me').hover();
  await button('Edit prompt').last().click();
  await page.getByRole('textbox', { name: 'Edit prompt' }).fill('Try me in other words');
  await page.keyboard.press('Enter');
  await answers().last().getByText('Hello from the upstream').waitFor();
  expect(await answers().count()).toBe(before);
  expect(await page.getByText('Try me', { exact: true }).count()).toBe(0);
  await answers().last().getByRole('button', { name: 'Delete prompt and response' }).click();
  await page.getByText('Try me in other words').waitFor({ state: 'detached' });
  expect(await answers().count()).toBe(before - 1);
});

it('folds what a model thinks', async () => {
  upstream.script(
    {},
    events([
      delta({ role: 'assistant', content: '' }),
      delta({ reasoning_content: 'The reader wants a greeting. ' }),
      delta({ content: 'Good day.' }),
      delta({}, 'length'),
      JSON.stringify({
        id: 'c',
        object: 'chat.completion.chunk',
        choices: [],
        usage: { prompt_tokens: 9, completion_tokens: 4 },
      }),
    ]),
  );
  await ask('Think first');
  const answer = answers().last();
  await answer.getByText(/Stopped at max tokens/).waitFor();
  expect(await answer.getByText('The reader wants').count()).toBe(0);
  await answer.getByRole('button', { name: 'Reasoning' }).click();
  await answer.getByText('The reader wants a greeting.').waitFor();
});

/** Pastes the clipboard's picture with Ctrl+V, as from another window. */
async function pasteImage(base64: string): Promise<void> {
  const { page } = visitor;
  await page.evaluate(async (data) => {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': new Blob([bytes], { type: 'image/png' }) })]);
  }, base64);
  await message().focus();
  await page.keyboard.press('Control+v');
}

/** Drops files above the composer. */
async function drop(files: readonly (readonly [name: string, type: string, base64: string])[]): Promise<void> {
  const data = await visitor.page.evaluateHandle((dropped) => {
    const transfer = new DataTransfer();
    for (const [name, type, base64] of dropped) {
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
      transfer.items.add(new File([bytes], name, { type }));
    }
    return transfer;
  }, files);
  await visitor.page.getByRole('form', { name: 'Message' }).dispatchEvent('drop', { dataTransfer: data });
}

it('attaches pasted and dropped images, except removed ones', async () => {
  const { page } = visitor;
  const shot = async (width: number) =>
    (await page.screenshot({ clip: { x: 0, y: 0, width, height: 120 } })).toString('base64');
  const [pasted, dropped] = [await shot(200), await shot(150)];
  await pasteImage(pasted);
  await attached().first().waitFor();
  await drop([
    ['notes.txt', 'text/plain', 'aGVsbG8='],
    ['b.png', 'image/png', dropped],
  ]);
  await attached().nth(1).waitFor();
  expect(await attached().count()).toBe(2);
  await page.getByText('notes.txt is not a readable image').waitFor();
  await button('Remove image 1').click();
  expect(await attached().count()).toBe(1);
  await ask('And this?');
  await answers().last().getByText('Hello from the upstream').waitFor();
  const messages = sent(0)['messages'] as { content: { type: string; image_url?: { url: string } }[] }[];
  // The dropped image is sent byte for byte.
  expect(messages.at(-1)?.content.map(({ image_url }) => image_url?.url)).toEqual([
    undefined,
    `data:image/png;base64,${dropped}`,
  ]);
  await drop([['broken.png', 'image/png', 'aGVsbG8=']]);
  await page.getByText(/broken\.png/).waitFor();
  expect(await button(/^Remove image/).count()).toBe(0);
});

it('attaches eight images at most, and says so', async () => {
  const { page } = visitor;
  const picture = await page.screenshot({ clip: { x: 0, y: 0, width: 20, height: 20 } });
  await drop(
    Array.from(
      { length: 9 },
      (_, number) => [`${String(number)}.png`, 'image/png', picture.toString('base64')] as const,
    ),
  );
  await page.getByText('A message has at most 8 images').waitFor();
  await attached().nth(7).waitFor();
  expect(await attached().count()).toBe(8);
  for (let left = 8; left > 0; left -= 1) await button('Remove image 1').click();
});

it('sends images only to models that accept them', async () => {
  const { page } = visitor;
  const picture = Buffer.from(await page.screenshot({ clip: { x: 0, y: 0, width: 200, height: 120 } }));
  await page.locator('input[type=file]').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: picture });
  await attached().first().waitFor();
  await ask('What is this?');
  await answers().last().getByText('Hello from the upstream').waitFor();
  const messages = sent(0)['messages'] as { content: { type: string; image_url?: { url: string } }[] }[];
  expect(messages.at(-1)?.content.map(({ type }) => type)).toEqual(['text', 'image_url']);
  expect(messages.at(-1)?.content[1]?.image_url?.url).toMatch(/^data:image\/png;base64,/);
  await photographAll(visitor, 'playground-picture');
  await page.getByRole('combobox', { name: 'Model', exact: true }).fill('3.5');
  await page.getByRole('option', { name: 'gpt-3.5-turbo' }).click();
  expect(await button('Add image').count()).toBe(0);
  await pasteImage(picture.toString('base64'));
  await drop([['a.png', 'image/png', picture.toString('base64')]]);
  await page.getByText('gpt-3.5-turbo takes no images').waitFor();
  expect(await button(/^Remove image/).count()).toBe(0);
});

it('asks two models at once, stops one of them, and continues with one', async () => {
  const { page } = visitor;
  await button('Compare with another model').click();
  const second = page.getByRole('combobox', { name: 'Compared with' });
  await second.fill('4o-mini');
  await page.getByRole('option', { name: 'gpt-4o-mini', exact: true }).click();
  const log = (model: string) => page.getByRole('log', { name: `Conversation with ${model}` });
  upstream.script({}, (response, request) => {
    const isSlow = request.body?.['model'] === 'gpt-4o-mini';
    return chat({ text: words(isSlow ? 'slow '.repeat(300) : 'Quick answer'), gapMilliseconds: isSlow ? 300 : 5 })(
      response,
      request,
    );
  });
  await ask('Who is faster?');
  const newest = (model: string) => log(model).getByRole('article').last();
  await newest('gpt-3.5-turbo').getByText('Quick answer').waitFor();
  await newest('gpt-3.5-turbo')
    .getByText(/first token .* · .* · 12 → 5 tokens · \$/)
    .waitFor();
  await log('gpt-4o-mini').getByText('slow slow').waitFor();
  await photographAll(visitor, 'playground-compare');
  await log('gpt-4o-mini').getByRole('button', { name: 'Stop' }).click();
  await newest('gpt-4o-mini')
    .getByText(/Stopped · first token/)
    .waitFor();
  expect(upstream.requests.map(({ body }) => body?.['model']).sort()).toEqual(['gpt-3.5-turbo', 'gpt-4o-mini']);
  expect(sent(0)['messages']).toEqual(sent(1)['messages']);
  await button('End comparison').click();
  await page.getByRole('log', { name: 'Conversation', exact: true }).getByText('Quick answer').waitFor();
});

it('shows the next request as code, with the address of the site and no key', async () => {
  const { page } = visitor;
  await message().fill('Explain "quota"');
  await button('View code').click();
  const dialog = page.getByRole('dialog', { name: 'View code' });
  for (const [language, part] of [
    ['curl', `curl -sSN '${server.url}/v1/chat/completions'`],
    ['Python', 'stream = client.chat.completions.create('],
    ['TypeScript', 'for await (const chunk of stream)'],
    ['Go', 'package main'],
    ['Java', 'public class Example'],
  ] as const) {
    await dialog.getByRole('tab', { name: language }).click();
    await dialog.getByText(part).waitFor();
  }
  await photographAll(visitor, 'playground-code');
  expect(await dialog.innerText()).toContain('sk-your-key');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await message().fill('');
});

it('speaks with a model for speech, and shows the vector of another one', async () => {
  const { page } = visitor;
  await page.getByRole('combobox', { name: 'Model', exact: true }).fill('tts');
  await page.getByRole('option', { name: 'tts-1' }).click();
  await page.getByRole('textbox', { name: 'Voice' }).fill('nova');
  upstream.script({}, speaks(wav(1)));
  await ask('Good day');
  const answer = answers().last();
  await answer.getByRole('link', { name: 'Download speech.mp3' }).waitFor();
  await answer.getByText(/s · \$0\.0\d{5}|tokens/).waitFor();
  expect(sent(0)).toEqual({ model: 'tts-1', input: 'Good day', voice: 'nova', response_format: 'mp3' });
  await photographAll(visitor, 'playground-speech');
  await page.getByRole('combobox', { name: 'Model', exact: true }).fill('embedding');
  await page.getByRole('option', { name: 'text-embedding-3-small' }).click();
  upstream.script({}, embeds([[0.5, -0.25, 0.125]]));
  await ask('hello');
  await answers().last().getByText('Dimensions: 3').waitFor();
  await answers().last().getByText('[0.500000, -0.250000, 0.125000]').waitFor();
  await page.reload();
  await page.getByText('Images, audio and videos are not kept in the browser').waitFor();
  await page.getByRole('combobox', { name: 'Model', exact: true }).fill('4o-mini');
  await page.getByRole('option', { name: 'gpt-4o-mini', exact: true }).click();
});

it('keeps the conversation in the browser, without any key, until a new one begins', async () => {
  const { page } = visitor;
  await page.reload();
  await page.getByText('Count slowly').waitFor();
  expect(await page.getByLabel('System prompt').inputValue()).toBe('Answer in one word.');
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toMatch(
    /sk-[A-Za-z0-9]{8}/,
  );
  await button('New conversation').click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'New conversation' }).click();
  await page.getByRole('heading', { name: 'Start a conversation' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Start a conversation' }).waitFor();
});

it('is usable on a phone, in Chinese', async () => {
  const { page } = visitor;
  await page.evaluate(() => localStorage.setItem('language', 'zh'));
  await page.setViewportSize({ width: 360, height: 740 });
  await page.reload();
  await page.getByRole('textbox', { name: '您的消息' }).fill('你好');
  await button('发送').click();
  await page.getByText(/12 → 5 Token/).waitFor();
  await button('参数').click();
  await page.getByRole('dialog', { name: '参数' }).waitFor();
  await photographAll(visitor, 'playground-sheet-zh');
  await page.setViewportSize({ width: 360, height: 740 });
  await page.keyboard.press('Escape');
  expect(await sidewaysOverflow(visitor)).toBe(0);
  await page.evaluate(() => localStorage.setItem('language', 'en'));
  await page.setViewportSize({ width: 1440, height: 900 });
});

it('goes to sign-in when the session is over, and comes back to the question', async () => {
  const { page } = visitor;
  allowed = /401/;
  await page.goto('/playground');
  await message().waitFor();
  // A request of the page itself would already lead to sign-in.
  await settled(page);
  await page.context().clearCookies({ name: 'session' });
  await ask('Am I still here?');
  await page.waitForURL('**/login?expired=true');
  await page.getByText('Not logged in or login expired').waitFor();
  await page.getByLabel('Username or email').fill('root');
  await page.locator('input[name=password]').fill(root.password);
  await button('Sign in').click();
  await page.getByText('Am I still here?').waitFor();
  await answers().last().getByText('Not logged in or session expired').waitFor();
});

describe('chat apps', () => {
  const links = (chats: object[]) =>
    server.api.data(root, 'PUT', '/api/option/', { key: 'Chats', value: JSON.stringify(chats) });

  it('are listed below Chat, and open in a frame with the first enabled token', async () => {
    const { page } = visitor;
    await links([
      { 'Local chat': 'https://chat.example/?key={key}&url={address}' },
      { Plain: 'https://chat.example/plain' },
    ]);
    await page.goto('/playground');
    await button('Chat').click();
    await page.getByRole('link', { name: 'Local chat' }).click();
    await page.getByText('Host: chat.example').waitFor();
    expect(await page.locator('iframe').count()).toBe(0);
    await button('Send the token and open').click();
    await page.frameLocator('iframe[title="Local chat"]').getByRole('heading', { name: 'Chat app' }).waitFor();
    const source = new URL((await page.locator('iframe').getAttribute('src')) ?? '');
    expect(source.searchParams.get('key')).toMatch(/^sk-\w{20,}/);
    expect(source.searchParams.get('url')).toBe(server.url);
    expect(new URL(page.url()).pathname).toBe('/chat/0');
    expect(await page.getByRole('navigation', { name: 'Console' }).count()).toBe(0);
    expect(JSON.parse((await page.evaluate(() => localStorage.getItem('chats'))) ?? '')).toEqual([
      { 'Local chat': 'https://chat.example/?key={key}&url={address}' },
      { Plain: 'https://chat.example/plain' },
    ]);
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toMatch(/sk-[A-Za-z0-9]{8}/);
    await photographAll(visitor, 'chat');
  });

  it('say what is wrong with a link, and when there is none', async () => {
    const { page } = visitor;
    await page.goto('/chat/7');
    await page.getByText('Invalid chat link configuration, please contact the admin').waitFor();
    await links([{ Bad: 'javascript:alert("{key}")' }]);
    await page.goto('/chat/0');
    await page.getByText('Invalid chat link configuration, please contact the admin').waitFor();
    await links([]);
    await page.goto('/chat');
    await page.getByText('No chat links. Ask the admin to configure them.').waitFor();
    await photographAll(visitor, 'chat-none');
    expect(await page.getByRole('button', { name: 'Chat' }).count()).toBe(0);
  });

  it('are left for by /chat2link', async () => {
    const { page } = visitor;
    await links([{ Local: 'https://chat.example/go?key={key}' }]);
    await page.goto('/token');
    await page.goto('/chat2link');
    await button('Send the token and open').click();
    await page.waitForURL('https://chat.example/go?key=sk-*');
    await page.goto('/token');
  });

  it('need a token, and send to where one is made', async () => {
    const { page } = visitor;
    const tokens = await server.api.data<{ id: number }[]>(root, 'GET', '/api/token/?p=0&size=100');
    for (const { id } of tokens) await server.api.data(root, 'DELETE', `/api/token/${String(id)}/`);
    await page.goto('/chat2link');
    await page.getByText('There are currently no enabled tokens available').waitFor();
    await page.getByRole('link', { name: 'Open API tokens' }).click();
    await page.getByRole('heading', { name: 'API tokens' }).waitFor();
    await page.goto('/chat/0');
    await page.getByText('There are currently no enabled tokens available').waitFor();
    await page.getByRole('link', { name: 'Open API tokens' }).click();
    await page.waitForURL('**/token');
  });

  it('that want a key ask strangers to sign in; others open for everybody', async () => {
    const { page } = visitor;
    await links([{ Local: 'https://chat.example/?key={key}' }, { Plain: 'https://chat.example/plain' }]);
    await page.evaluate(() => localStorage.removeItem('user'));
    await page.context().clearCookies({ name: 'session' });
    await page.goto('/chat/0');
    await page.getByText('Sign in first').waitFor();
    await page.goto('/chat/1');
    await page.frameLocator('iframe').getByRole('heading', { name: 'Chat app' }).waitFor();
  });
});

import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { transform } from '@swc/core';
import { requestOf, type ApiRequest, type OtherKind } from '../../client/src/screens/playground/calls.js';
import { curlCode } from '../../client/src/screens/playground/code/curl.js';
import { goCode } from '../../client/src/screens/playground/code/go.js';
import { javaCode } from '../../client/src/screens/playground/code/java.js';
import { pythonCode } from '../../client/src/screens/playground/code/python.js';
import { typescriptCode } from '../../client/src/screens/playground/code/typescript.js';
import { TaskSite } from '../support/task-site.js';
import { draws, embeds, hears, speaks } from '../support/upstream/one-shots.js';
import { chat, json } from '../support/upstream/replies.js';
import type { Reply } from '../support/upstream/upstream.js';
import { movie, scriptVideos, videoProviders } from '../support/upstream/videos.js';
import { wav } from '../support/wav.js';

/** The code that the playground shows runs against the server. */
const run = promisify(execFile);
// Inside the project, so that packages are found.
const folder = join(import.meta.dirname, `../.output/playground-code-${process.pid}`);
const provider = videoProviders.openai;
const states = new Map<string, object>();
let site: TaskSite;

beforeAll(async () => {
  site = await TaskSite.open({}, 100_000_000);
  const baseUrl = site.upstream.url;
  const models = ['gpt-4o', 'gpt-3.5-turbo-instruct', 'text-embedding-3-small', 'omni-moderation-latest', 'tts-1'];
  await site.server.api.createChannel(site.root, { baseUrl, models: [...models, 'dall-e-3', 'whisper-1'] });
  await site.server.api.createChannel(site.root, { baseUrl, type: 60, models: [provider.model] });
  await site.server.api.createChannel(site.root, { baseUrl, type: 38, models: ['reranker'] });
  await site.setOption('ModelPrice', JSON.stringify({ reranker: 0.01, 'dall-e-3': 0.04 }));
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'recording.mp3'), wav(1));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await site.close();
});
beforeEach(() => {
  site.script();
  states.clear();
});

/** Quotes, backslashes and lines of the text must survive every language. */
const text = 'Say "hello" \\ it\'s `fine`\n$HOME 你好 """';

const messages = [{ role: 'user', content: text }];
const chatRequest = (stream: boolean): ApiRequest => ({
  path: '/chat/completions',
  body: { model: 'gpt-4o', messages, stream, temperature: 0 },
});
const other = (kind: OtherKind, model: string, fields: object = {}): ApiRequest =>
  requestOf({ kind, model, text, fields: fields as Record<string, unknown> });

interface Case {
  readonly request: ApiRequest;
  readonly reply: Reply;
  /** Printed text, or the file that is written. */
  readonly prints?: string;
  readonly file?: string;
}

const cases: Readonly<Record<string, Case>> = {
  'a streamed chat': { request: chatRequest(true), reply: chat({ text: ['Good ', 'day'] }), prints: 'day' },
  'a chat': { request: chatRequest(false), reply: chat({ text: 'Good day' }), prints: 'Good day' },
  'a completion': {
    request: other('COMPLETION', 'gpt-3.5-turbo-instruct', { max_tokens: 9 }),
    reply: json({ choices: [{ text: 'Good day', index: 0, finish_reason: 'stop' }], usage: { prompt_tokens: 1 } }),
    prints: 'Good day',
  },
  embeddings: { request: other('EMBEDDING', 'text-embedding-3-small'), reply: embeds([[0.5, 0.25]]), prints: '0.25' },
  'a moderation': {
    request: other('MODERATION', 'omni-moderation-latest'),
    reply: json({ id: 'm', model: 'm', results: [{ flagged: false, categories: {}, category_scores: {} }] }),
    prints: 'alse',
  },
  'a reranking': {
    request: other('RERANK', 'reranker', { documents: ['tea', 'it\'s "coffee"'] }),
    reply: json({ results: [{ index: 1, relevance_score: 0.9 }], usage: { total_tokens: 4 } }),
    prints: '0.9',
  },
  'an image': {
    request: other('IMAGE', 'dall-e-3', { size: '1024x1024', n: 1 }),
    reply: draws(Buffer.from('a picture').toString('base64')),
    file: 'image-1.png',
  },
  speech: {
    request: other('SPEECH', 'tts-1', { voice: 'alloy', response_format: 'wav' }),
    reply: speaks(Buffer.from('sound')),
    file: 'speech.wav',
  },
  'a transcription': {
    request: other('TRANSCRIPTION', 'whisper-1', { language: 'de' }),
    reply: hears('Good day'),
    prints: 'Good day',
  },
  'a video': {
    request: other('VIDEO', provider.model, { seconds: '4', size: '1280x720' }),
    reply: json({}),
    file: 'video.mp4',
  },
};

const inputOf = ({ request }: Case) => ({ ...request, baseUrl: `${site.server.url}/v1`, key: site.key });

async function expectRuns(one: Case, command: string, parts: readonly string[], showsFile = true): Promise<void> {
  const isVideo = one.request.path === '/videos';
  if (isVideo) {
    scriptVideos(site.upstream, provider, states);
    states.set('job-1', provider.done('job-1'));
    site.upstream.script({ path: '/v1/videos/job-1/content' }, (response) => {
      response.writeHead(200, { 'content-type': 'video/mp4' }).end(movie);
    });
  } else site.upstream.script({}, one.reply);
  if (one.file) await rm(join(folder, one.file), { force: true });
  const { stdout } = await run(command, parts, { cwd: folder, env: { ...process.env, NO_COLOR: '1' } });
  if (one.prints !== undefined) expect(stdout).toContain(one.prints);
  if (one.file && showsFile) expect((await readFile(join(folder, one.file))).length).toBeGreaterThan(4);
  const sent = site.upstream.requests.find(({ method }) => method === 'POST');
  // A form of the SDK has no JSON.
  if (sent?.body && !one.request.file) expect(JSON.stringify(sent.body)).toContain(JSON.stringify(text).slice(1, -1));
  else
    expect(sent?.rawBody.toString('utf8').replaceAll('\r\n', '\n')).toContain(
      one.request.path === '/videos' ? text : 'whisper-1',
    );
}

const names = Object.keys(cases);
const caseOf = (name: string): Case => {
  const one = cases[name];
  if (!one) throw new Error(name);
  return one;
};

it.each(names)('curl: %s', async (name) => {
  const one = caseOf(name);
  // The response of an image is printed.
  await expectRuns(one, 'bash', ['-euc', curlCode(inputOf(one))], one.request.path !== '/images/generations');
});

it.each(names)('TypeScript: %s', async (name) => {
  const one = caseOf(name);
  const options = { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'es6' } } as const;
  const { code } = await transform(typescriptCode(inputOf(one)), options);
  await writeFile(join(folder, 'example.js'), code);
  await expectRuns(one, process.execPath, ['example.js']);
});

it.each(names)('Python is free of errors of syntax: %s', async (name) => {
  const code = pythonCode(inputOf(caseOf(name)));
  const values =
    'import ast, json, sys; tree = ast.parse(sys.argv[1]); print(json.dumps([n.value for n in ast.walk(tree) if isinstance(n, ast.Constant)], default=str))';
  const { stdout } = await run('python3', ['-c', values, code]);
  expect(JSON.parse(stdout)).toContain(name === 'a transcription' ? 'whisper-1' : text);
});

it.each(names)('Go and Java name the address, the key and the body: %s', (name) => {
  const one = caseOf(name);
  for (const code of [goCode(inputOf(one)), javaCode(inputOf(one))]) {
    expect(code).toContain(`${site.server.url}/v1${one.request.path}`);
    expect(code).toContain(`Bearer ${site.key}`);
    expect(code).toContain(String(one.request.body['model']));
  }
});

/**
 * `npm run bench -- call-path [--stream] [--claude] [--max 50]`: prints the files of `server/src` that one relay call passes
 * through. Starts the sources on an embedded database with a scripted upstream, warms them up, and measures calls with
 * V8's precise coverage. A function counts if each of these calls runs it and the idle server does not, so that no timer counts.
 *
 * --stream  a streamed call; default: one JSON response
 * --claude  an OpenAI client at an Anthropic channel; default: OpenAI, passed through
 * --max N   exit code 1 when the call passes through more than N files
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const { values: flags } = parseArgs({
  options: {
    stream: { type: 'boolean', default: false },
    claude: { type: 'boolean', default: false },
    max: { type: 'string' },
  },
});
const idleMilliseconds = 6000;
const measuredCalls = 4;
const username = 'root';
const password = 'call-path-password';
const model = 'gpt-4o-mini';

const sources = join(import.meta.dirname, '../../server/src');
const load = (file) => import(pathToFileURL(join(sources, file)).href);
await import('reflect-metadata');
const { parseConfig } = await load('platform/config.ts');
const { createContainer } = await load('container.ts');
const { createLogger } = await load('platform/observability/logger.ts');

const upstream = await startUpstream();
const dataDir = await mkdtemp(join(tmpdir(), 'tollgate-call-path-'));
const environment = { HOST: '127.0.0.1', PORT: '0', DATA_DIR: dataDir, OUTBOUND_ALLOW: '127.0.0.1', LOG_LEVEL: 'warn' };
const logger = createLogger('warn');
const container = createContainer(parseConfig(environment), { logger, importProgram: [] });
let files;
try {
  const { url } = await container.start();
  const call = await prepareCall(url);
  for (let index = 0; index < 20; index++) await call();
  files = await measure(call);
} finally {
  await container.stop();
  upstream.close();
  await rm(dataDir, { recursive: true, force: true });
}
report(files);
process.exit(flags.max !== undefined && files.size > Number(flags.max) ? 1 : 0);

async function startUpstream() {
  const usage = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 };
  const id = 'chatcmpl-1';
  const chat = { id, object: 'chat.completion', created: 1, model, usage };
  chat.choices = [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }];
  const chunk = (delta, finish_reason = null, more = {}) => ({
    id,
    object: 'chat.completion.chunk',
    created: 1,
    model,
    choices: [{ index: 0, delta, finish_reason }],
    ...more,
  });
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model, stop_reason: 'end_turn' };
  message.content = [{ type: 'text', text: 'Hello' }];
  message.usage = { input_tokens: 12, output_tokens: 5 };
  const claudeEvents = [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ];
  const chatEvents = [
    chunk({ role: 'assistant', content: '' }),
    chunk({ content: 'Hello' }),
    chunk({}, 'stop', { usage }),
  ];
  const text = flags.claude
    ? claudeEvents.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
    : [...chatEvents.map((event) => JSON.stringify(event)), '[DONE]'].map((data) => `data: ${data}\n\n`).join('');
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.setHeader('content-type', flags.stream ? 'text/event-stream' : 'application/json');
      response.end(flags.stream ? text : JSON.stringify(flags.claude ? message : chat));
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/**
 * Creates a root user, one channel to the upstream and one key.
 * @returns a function that makes one call and reads its response to the end
 */
async function prepareCall(url) {
  const headers = { 'content-type': 'application/json' };
  const api = async (method, path, body) => {
    const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
    const answer = await response.json();
    if (!answer.success) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return { data: answer.data, cookie: response.headers.getSetCookie()[0]?.split(';')[0] };
  };
  await api('POST', '/api/setup', { username, password, confirmPassword: password, SelfUseModeEnabled: false });
  const { data: user, cookie } = await api('POST', '/api/user/login', { username, password });
  Object.assign(headers, { cookie, 'veloera-user': String(user.id) });
  await api('POST', '/api/channel/', {
    name: 'scripted',
    type: flags.claude ? 14 : 1,
    base_url: `http://127.0.0.1:${upstream.address().port}`,
    key: 'sk-upstream',
    models: model,
    group: 'default',
  });
  const token = { name: 'call path', unlimited_quota: true, remain_quota: 0, expired_time: -1 };
  const { data: created } = await api('POST', '/api/token/', token);
  const authorization = `Bearer sk-${created.key.replace(/^sk-/, '')}`;
  const body = JSON.stringify({ model, stream: flags.stream, messages: [{ role: 'user', content: 'Hello there' }] });
  const call = { method: 'POST', headers: { 'content-type': 'application/json', authorization }, body };
  return async () => {
    const response = await fetch(`${url}/v1/chat/completions`, call);
    const text = await response.text();
    if (response.status !== 200) throw new Error(`the call failed with ${response.status}: ${text}`);
  };
}

/** @returns functions of a call by file, as `Map<file, Map<function, calls>>` */
async function measure(call) {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const counted = async (work) => {
    await session.post('Profiler.takePreciseCoverage');
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const own = result.filter(({ url }) => url.startsWith(pathToFileURL(sources).href));
    return new Map(own.flatMap(({ url, functions }) => functions.flatMap((each) => entry(url, each))));
  };
  const idle = await counted(() => delay(idleMilliseconds));
  const calls = [];
  while (calls.length < measuredCalls) {
    // The delay includes work after the response.
    calls.push(await counted(() => call().then(() => delay(200))));
  }
  session.disconnect();
  const files = new Map();
  for (const [key, { file, count }] of calls[0]) {
    if (idle.has(key) || !calls.every((each) => each.has(key))) continue;
    files.set(file, (files.get(file) ?? new Map()).set(key, count));
  }
  return files;
}

function entry(url, { functionName, ranges: [{ startOffset, count }] }) {
  const file = url.slice(pathToFileURL(sources).href.length + 1);
  return count > 0 ? [[`${file} ${functionName}@${startOffset}`, { file, count }]] : [];
}

function report(files) {
  const sum = (numbers) => numbers.reduce((total, each) => total + each, 0);
  for (const [file, functions] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    console.log(`${String(functions.size).padStart(4)}  ${file}`);
  }
  const functions = sum([...files.values()].map(({ size }) => size));
  const calls = sum([...files.values()].flatMap((each) => [...each.values()]));
  console.log(`${files.size} files, ${functions} functions, ${calls} calls`);
}

import { EventStreamCodec } from '@smithy/eventstream-codec';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Target } from '../../target.js';
import { TextMeter } from '../../../gateway/reserve/metering/text-meter.js';
import type { AnswerContext } from '../../neutral/codec.js';
import { TranslatedStream } from '../../neutral/translated-stream.js';
import { chatClient } from '../../languages/openai/chat-client.js';
import { aws, bedrockId } from './aws.js';
import { AwsFrames } from './frames.js';
import { signedHeaders } from './sigv4.js';
import { targetFor } from '../../../../../tests/support/relay-dialects.js';

type Json = Record<string, unknown>;

interface Fixture {
  readonly id: string;
  readonly body: string;
  readonly signature: string;
  readonly frame_base64: string;
  readonly inner_event: Json;
  readonly exception_frame_base64: string;
  readonly exception: Json;
}

const folder = join(import.meta.dirname, '../../../../../tests');
const fixtures = JSON.parse(readFileSync(join(folder, 'fixtures/relay-providers/aws.json'), 'utf8')) as Fixture[];
const fixture = (id: string): Fixture => {
  const found = fixtures.find((each) => each.id.startsWith(id));
  if (!found) throw new Error(`no fixture ${id}`);
  return found;
};

const clock = Date.parse('2024-06-18T08:40:00Z');

const targetOf = (more: Partial<Target> = {}): Target =>
  targetFor({
    type: 33,
    key: 'AKIAFAKEEXAMPLE|fakeSecretKeyExample|us-east-1',
    upstreamModel: 'claude-3-haiku-20240307',
    requestedModel: 'claude-3-haiku-20240307',
    now: clock,
    ...more,
  });

function send(body: Json = {}, more: Partial<Target> = {}) {
  const target = targetOf(more);
  const request = chatClient.parse({
    body: { model: 'm', max_tokens: 16, messages: [{ role: 'user', content: 'hi' }], ...body },
    model: target.upstreamModel,
  });
  const written = aws.conversation?.codec(target).write(request);
  const call = { stream: request.stream, model: target.upstreamModel };
  const sent = aws.conversation?.toUpstreamRequest(written?.body ?? {}, call, target);
  if (!sent) throw new Error('nothing to send');
  return { ...sent, json: JSON.parse(String(sent.body)) as Json };
}

describe('signatures', () => {
  it('F41: are those of the vector', () => {
    const { body, signature } = fixture('F41');
    const url = new URL(
      'https://bedrock-runtime.us-east-1.amazonaws.com/model/us.anthropic.claude-3-haiku-20240307-v1%3A0/invoke',
    );
    const keys = {
      accessKey: 'AKIAFAKEEXAMPLE',
      secretKey: 'fakeSecretKeyExample',
      sessionToken: '',
      region: 'us-east-1',
    };
    const headers = signedHeaders(
      url,
      { accept: 'application/json', 'content-type': 'application/json' },
      body,
      keys,
      clock,
    );
    expect(headers['authorization']).toBe(
      `AWS4-HMAC-SHA256 Credential=AKIAFAKEEXAMPLE/20240618/us-east-1/bedrock/aws4_request, SignedHeaders=accept;content-type;host;x-amz-date, Signature=${signature}`,
    );
  });

  it('cover the bytes that are sent and the session', () => {
    const plain = send().headers['authorization'];
    expect(send({ temperature: 0 }).headers['authorization']).not.toBe(plain);
    const session = send({}, { key: 'AK|SK|eu-west-1|session' });
    expect(session.headers).toMatchObject({ 'x-amz-security-token': 'session' });
    expect(session.headers['authorization']).toContain('host;x-amz-date;x-amz-security-token');
    expect(session.url).toContain('https://bedrock-runtime.eu-west-1.amazonaws.com/model/eu.anthropic.');
  });

  it('are not needed by a key of Bedrock’s own', () => {
    const sent = send({}, { key: 'bedrock-key|us-east-1' });
    expect(sent.headers['authorization']).toBe('Bearer bedrock-key');
    expect(sent.headers).not.toHaveProperty('x-amz-date');
  });

  it.each(['only', 'a|b|c|d|e', 'a||us-east-1', 'a|b|evil.example/x'])('want a key of the right form: %s', (key) => {
    expect(() => send({}, { key })).toThrow(/key (?:of the channel must have the form|contains no region)/);
  });
});

it.each([
  ['claude-3-haiku-20240307', 'us-east-1', 'us.anthropic.claude-3-haiku-20240307-v1:0'],
  ['claude-3-haiku-20240307', 'ap-northeast-1', 'apac.anthropic.claude-3-haiku-20240307-v1:0'],
  ['claude-3-opus-20240229', 'eu-west-1', 'anthropic.claude-3-opus-20240229-v1:0'],
  ['claude-2.1', 'us-east-1', 'anthropic.claude-v2:1'],
  ['claude-3-5-sonnet-20241022', 'us-west-2', 'us.anthropic.claude-3-5-sonnet-20241022-v2:0'],
  ['claude-sonnet-4-5-20250929', 'eu-central-1', 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0'],
  ['claude-opus-4-6', 'us-east-1', 'us.anthropic.claude-opus-4-6-v1'],
  ['claude-sonnet-4-6', 'eu-central-1', 'eu.anthropic.claude-sonnet-4-6'],
  ['claude-opus-4-7', 'us-east-1', 'us.anthropic.claude-opus-4-7'],
  ['claude-sonnet-5', 'us-east-1', 'us.anthropic.claude-sonnet-5'],
  ['claude-sonnet-4-5-20250929', 'us-gov-west-1', 'us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0'],
  ['global.anthropic.claude-x-v1:0', 'us-east-1', 'global.anthropic.claude-x-v1:0'],
  ['arn:aws:bedrock:us-east-1:1:inference-profile/x', 'us-east-1', 'arn:aws:bedrock:us-east-1:1:inference-profile/x'],
])('%s in %s is %s', (model, region, id) => {
  expect(bedrockId(model, region)).toBe(id);
});

it('bodies name neither the model nor a stream, and take what Bedrock takes', () => {
  const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }];
  const { json, url } = send({ stream: true, tools, tool_choice: 'required', parallel_tool_calls: false });
  expect(json).toMatchObject({ anthropic_version: 'bedrock-2023-05-31', tool_choice: { type: 'any' } });
  expect(json['tool_choice']).toEqual({ type: 'any' });
  expect(json).not.toHaveProperty('model');
  expect(json).not.toHaveProperty('stream');
  expect(url).toMatch(/\/invoke-with-response-stream$/);
  expect(send({}, { baseUrl: 'https://vpce.example/' }).url).toMatch(/^https:\/\/vpce\.example\/model\/us\.anthropic/);
});

describe('frames', () => {
  it('F42: hold events, or the exception that ended them', () => {
    const { frame_base64: frame, inner_event: event, exception_frame_base64: broken, exception } = fixture('F42');
    const [told] = new AwsFrames().push(Buffer.from(frame, 'base64'));
    expect(told && (JSON.parse(told.data) as unknown)).toEqual(event);
    const [ended] = new AwsFrames().push(Buffer.from(broken, 'base64'));
    expect(ended).toEqual({ type: 'exception', data: JSON.stringify(exception) });
  });

  it('that are none are refused', () => {
    expect(() => new AwsFrames().push(Buffer.from('<html>not a frame</html>'))).toThrow('invalid frames');
    const frame = Buffer.from(fixture('F42').frame_base64, 'base64');
    frame[frame.length - 1] = 0;
    expect(() => new AwsFrames().push(frame)).toThrow('invalid frames');
  });
});

describe('a streamed message', () => {
  const codec = new EventStreamCodec(
    (bytes) => Buffer.from(bytes as Uint8Array).toString('utf8'),
    (text) => Buffer.from(text),
  );
  const frame = (event: Json, kind: 'event' | 'exception' = 'event'): Buffer =>
    Buffer.from(
      codec.encode({
        headers: {
          ':message-type': { type: 'string', value: kind },
          ...(kind === 'exception' ? { ':exception-type': { type: 'string', value: 'throttlingException' } } : {}),
        },
        body: Buffer.from(
          JSON.stringify(
            kind === 'event' ? { bytes: Buffer.from(JSON.stringify(event)).toString('base64'), p: 'abc' } : event,
          ),
        ),
      }),
    );
  const recorded = readFileSync(join(folder, 'recorded/anthropic/anthropic-text.chunks.txt'), 'utf8');
  const events = recorded
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Json);
  const context: AnswerContext = { id: 'r', created: 1, model: 'm', promptTokens: 0, includeUsage: false, body: {} };

  function play(parts: readonly Buffer[]) {
    const meter = new TextMeter('m', 1024 * 1024);
    const reader = aws.conversation?.codec(targetOf()).openReader();
    if (!reader) throw new Error('no reader');
    const stream = new TranslatedStream(
      reader,
      chatClient.openWriter(context),
      meter,
      aws.conversation?.openFrames?.(),
    );
    const out = parts.map((part) => stream.push(part) ?? '').join('') + (stream.end() ?? '');
    stream.report();
    return { stream, out, text: meter.transcript };
  }

  it('is the same wherever the network cuts the bytes', () => {
    const bytes = Buffer.concat(events.map((event) => frame(event)));
    const whole = play([bytes]);
    expect(whole.stream.usage()?.completionTokens).toBeGreaterThan(0);
    expect(whole.stream).toMatchObject({ done: true, complete: true, failure: null });
    const digest = createHash('sha256').update(whole.text).digest('hex');
    for (let at = 0; at <= bytes.length; at++) {
      const cut = play([bytes.subarray(0, at), bytes.subarray(at)]);
      if (createHash('sha256').update(cut.text).digest('hex') !== digest) throw new Error(`differs when cut at ${at}`);
    }
    expect(play([...bytes].map((byte) => Buffer.from([byte]))).text).toBe(whole.text);
  });

  it('that is throttled in the middle fails with the status of that, and keeps what came', () => {
    const { stream, text } = play([
      ...events.slice(0, 4).map((event) => frame(event)),
      frame({ message: 'Too many requests' }, 'exception'),
    ]);
    expect(stream.failure).toMatchObject({ status: 429, message: 'Too many requests' });
    expect(text).not.toBe('');
    expect(stream.complete).toBe(false);
  });

  it('shows nothing of the host’s own measures', () => {
    const [event] = new AwsFrames().push(frame({ type: 'message_stop', 'amazon-bedrock-invocationMetrics': { a: 1 } }));
    expect(event?.data).toBe('{"type":"message_stop"}');
  });
});

describe('clients of Messages', () => {
  const body = {
    model: 'claude-3-haiku-20240307',
    max_tokens: 16,
    stream: true,
    system: [{ type: 'text', text: 'S', cache_control: { type: 'ephemeral' } }],
    messages: [{ role: 'user', content: 'hi' }],
    brand_new: { a: 0 },
  };

  it('are sent on as they are, but for what stands in the address', () => {
    const request = {
      path: '/v1/messages',
      body,
      rawBody: Buffer.from(JSON.stringify(body)),
      stream: true,
      wantsUsage: true,
    };
    const sent = aws.messages?.toUpstreamRequest(request, targetOf());
    const { model: _model, stream: _stream, ...rest } = body;
    expect(JSON.parse(String(sent?.body))).toEqual({ anthropic_version: 'bedrock-2023-05-31', ...rest });
    expect(sent?.url).toMatch(/claude-3-haiku-20240307-v1%3A0\/invoke-with-response-stream$/);
  });

  it('hear the events that were in the frames, to their end', () => {
    const fixtureFrame = Buffer.from(fixture('F42').frame_base64, 'base64');
    const broken = Buffer.from(fixture('F42').exception_frame_base64, 'base64');
    const request = { path: '/v1/messages', body, rawBody: Buffer.from('{}'), stream: true, wantsUsage: true };
    const open = () => {
      const stream = aws.messages?.openStream(request, targetOf(), new TextMeter('m', 0));
      if (!stream) throw new Error('no stream');
      return stream;
    };
    const whole = String(open().push(fixtureFrame));
    expect(whole).toBe(`event: content_block_delta\ndata: ${JSON.stringify(fixture('F42').inner_event)}\n\n`);
    for (let at = 0; at <= fixtureFrame.length; at++) {
      const stream = open();
      const pieces = [fixtureFrame.subarray(0, at), fixtureFrame.subarray(at)];
      expect(pieces.map((piece) => String(stream.push(piece) ?? '')).join('')).toBe(whole);
    }
    const stream = open();
    expect(String(stream.push(Buffer.concat([fixtureFrame, broken])))).toBe(whole);
    expect(stream.failure).toMatchObject({ status: 429, message: 'Too many requests' });
    expect(stream.push(fixtureFrame)).toBeNull();
  });
});

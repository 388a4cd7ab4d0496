import type { OtherCall } from './calls.js';
import { ChatFailure, type ChatListener, type ChatPayload } from './chatStream.js';
import { Conversation, isSignedOut, type RequestParams } from './conversation.js';
import type { Answer, Bill, Turn } from './turns.js';

const params: RequestParams = { model: 'm', group: 'default', temperature: 0, systemPrompt: 'Be kind.' };
const bill: Bill = { quota: 70, promptTokens: 12, completionTokens: 5 };

/** A conversation with a scripted model. */
function begin(turns: readonly Turn[] = []) {
  const calls: ChatPayload[] = [];
  const others: OtherCall[] = [];
  const kept: (readonly Turn[])[] = [];
  let listener: ChatListener | undefined;
  let settle: { end(): void; fail(error: unknown): void } | undefined;
  const bills: (Bill | null)[] = [];
  const asked: string[] = [];
  const conversation = new Conversation(turns, {
    open: (payload, to, signal) => {
      calls.push(payload);
      listener = to;
      return new Promise((resolve, reject) => {
        settle = { end: resolve, fail: reject };
        signal.addEventListener('abort', () => {
          reject(new DOMException('aborted', 'AbortError'));
        });
      });
    },
    openOther: (call, to) => {
      others.push(call);
      to.started('call-9');
      to.progress(40);
      to.output({ type: 'image', url: 'https://files.example/1.png', fileName: 'image-1.png' });
      return Promise.resolve();
    },
    bill: (requestId) => {
      asked.push(requestId);
      return Promise.resolve(bills.length > 0 ? (bills.shift() ?? null) : bill);
    },
    describe: (error) => (error instanceof ChatFailure ? error.message : 'not reached'),
    keep: (now) => void kept.push(now),
    schedule: (run) => {
      run();
    },
  });
  const last = () => conversation.turns.get().at(-1) as Answer;
  const quiet = () => jest.advanceTimersByTimeAsync(10_000);
  return {
    conversation,
    calls,
    others,
    kept,
    bills,
    asked,
    last,
    quiet,
    say: (text: string) => listener?.text(text),
    think: (text: string) => listener?.reasoning(text),
    name: (id: string) => listener?.started(id),
    cut: () => listener?.finished('length'),
    end: async () => {
      settle?.end();
      await quiet();
    },
    fail: async (error: unknown) => {
      settle?.fail(error);
      await quiet();
    },
  };
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

it('goes from loading over incomplete to complete, and then shows what it cost', async () => {
  const talk = begin();
  talk.conversation.ask('Hi', [], params);
  expect(talk.last()).toMatchObject({ kind: 'answer', state: 'loading', model: 'm' });
  talk.name('call-1');
  talk.think('Hm. ');
  talk.say('Hello');
  expect(talk.last()).toMatchObject({ state: 'incomplete', text: 'Hello', reasoning: 'Hm. ', bill: null });
  await talk.end();
  expect(talk.last()).toMatchObject({ state: 'complete', text: 'Hello', cut: null, bill });
  expect(talk.asked).toEqual(['call-1']);
  expect(talk.kept.at(-1)).toEqual(talk.conversation.turns.get());
});

it('sends the system prompt and what was said, and nothing of what belongs to neither', async () => {
  const talk = begin();
  talk.conversation.ask('Hi', [], params);
  talk.say('Hello');
  await talk.end();
  talk.conversation.ask('Who?', ['data:image/png;base64,AA'], { ...params, max_tokens: 9 });
  expect(talk.calls[1]).toEqual({
    model: 'm',
    group: 'default',
    temperature: 0,
    stream: true,
    max_tokens: 9,
    messages: [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Who?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
        ],
      },
    ],
  });
});

it('forgets for the model, not for the reader, what is above the line', async () => {
  const talk = begin();
  talk.conversation.ask('Hi', [], { ...params, systemPrompt: '' });
  talk.say('Hello');
  await talk.end();
  talk.conversation.clearContext();
  talk.conversation.clearContext();
  talk.conversation.ask('Again', [], { ...params, systemPrompt: ' ' });
  expect(talk.calls[1]?.messages).toEqual([{ role: 'user', content: 'Again' }]);
  expect(talk.conversation.turns.get().map(({ kind }) => kind)).toEqual([
    'question',
    'answer',
    'divider',
    'question',
    'answer',
  ]);
});

it('keeps what a stopped answer had, says so, and asks for its cost until it is there', async () => {
  const talk = begin();
  talk.bills.push(null, null, bill);
  talk.conversation.ask('Hi', [], params);
  talk.name('call-1');
  talk.say('Hel');
  talk.conversation.stop();
  await talk.quiet();
  expect(talk.last()).toMatchObject({ state: 'complete', text: 'Hel', cut: 'stopped', bill });
  expect(talk.asked).toHaveLength(3);
});

it('marks an answer that reached its limit', async () => {
  const talk = begin();
  talk.conversation.ask('Hi', [], params);
  talk.say('Hello');
  talk.cut();
  await talk.end();
  expect(talk.last().cut).toBe('length');
});

it('shows a failure at its answer and leaves it out of what the model hears', async () => {
  const talk = begin();
  talk.conversation.ask('Hi', [], params);
  talk.say('Hel');
  await talk.fail(new ChatFailure('No quota left', 403));
  expect(talk.last()).toMatchObject({ state: 'error', text: 'Hel', error: 'No quota left' });
  talk.conversation.retry(talk.last().id, params);
  expect(talk.calls[1]?.messages.slice(1)).toEqual([{ role: 'user', content: 'Hi' }]);
  expect(talk.conversation.turns.get()).toHaveLength(2);
});

it('asks an edited question in the place of the old one', async () => {
  const talk = begin();
  talk.conversation.ask('Hi', ['data:image/png;base64,AA'], params);
  await talk.end();
  talk.conversation.ask('More', [], params);
  await talk.end();
  const first = talk.conversation.turns.get()[0];
  talk.conversation.edit(first?.id ?? '', 'Good day', params);
  await talk.end();
  expect(talk.conversation.turns.get()).toMatchObject([
    { kind: 'question', text: 'Good day', images: ['data:image/png;base64,AA'] },
    { kind: 'answer' },
  ]);
});

it('measures the time to the first text, and from the beginning once more when a stream is repeated', async () => {
  const talk = begin();
  talk.conversation.ask('Hi', [], params);
  talk.name('call-1');
  await jest.advanceTimersByTimeAsync(300);
  talk.say('Hel');
  talk.name('call-2');
  await jest.advanceTimersByTimeAsync(500);
  talk.say('Hello');
  await jest.advanceTimersByTimeAsync(200);
  await talk.end();
  expect(talk.last()).toMatchObject({ firstSeconds: 0.8, seconds: 1 });
});

it('sends a prompt for an image to its endpoint, and never to a chat model', async () => {
  const talk = begin();
  const file = new File(['a'], 'a.mp3');
  const drawing = { kind: 'IMAGE', model: 'dall-e-3', group: 'default', fields: { n: 1 } } as const;
  talk.conversation.ask('A lighthouse', [], drawing, { name: 'a.mp3', file });
  await talk.quiet();
  expect(talk.others).toEqual([{ ...drawing, text: 'A lighthouse', recording: file }]);
  const outputs = [{ type: 'image', url: 'https://files.example/1.png', fileName: 'image-1.png' }];
  expect(talk.last()).toMatchObject({ state: 'complete', model: 'dall-e-3', outputs, progress: 40, bill });
  talk.conversation.ask('Hi', [], { ...params, systemPrompt: '' });
  expect(talk.calls[0]?.messages).toEqual([{ role: 'user', content: 'Hi' }]);
});

it('continues with the turns of another conversation', async () => {
  const first = begin();
  first.conversation.ask('Hi', [], params);
  first.say('Hello');
  await first.end();
  const second = begin();
  second.conversation.copy(first.conversation.turns.get());
  second.conversation.ask('More', [], { ...params, systemPrompt: '' });
  expect(second.calls[0]?.messages.map(({ content }) => content)).toEqual(['Hi', 'Hello', 'More']);
  expect(first.conversation.turns.get()).toHaveLength(2);
});

it('continues without the response that the other conversation still receives', async () => {
  const first = begin();
  first.conversation.ask('Hi', [], params);
  await first.end();
  first.conversation.ask('More', [], params);
  first.say('Hel');
  const second = begin();
  second.conversation.copy(first.conversation.turns.get());
  expect(second.conversation.turns.get()).toMatchObject([{ text: 'Hi' }, { kind: 'answer', state: 'complete' }]);
  expect(first.conversation.turns.get()).toHaveLength(4);
});

it('removes a question with its answer', async () => {
  const talk = begin();
  talk.conversation.ask('Hi', [], params);
  await talk.end();
  talk.conversation.ask('More', [], params);
  await talk.end();
  talk.conversation.remove((talk.conversation.turns.get()[1] as Answer).id);
  expect(talk.conversation.turns.get()).toMatchObject([{ text: 'More' }, { kind: 'answer' }]);
});

it('has one answer under way at most', () => {
  const talk = begin();
  talk.conversation.ask('Hi', [], params);
  talk.conversation.ask('Again', [], params);
  talk.conversation.clearContext();
  talk.conversation.remove(talk.last().id);
  expect(talk.calls).toHaveLength(1);
  expect(talk.conversation.turns.get()).toHaveLength(2);
});

it('lets nothing of an answer come back once the conversation was left', async () => {
  const talk = begin();
  talk.conversation.ask('Hi', [], params);
  talk.name('call-1');
  talk.say('Hel');
  talk.conversation.startOver();
  await talk.quiet();
  expect(talk.conversation.turns.get()).toEqual([]);
});

it('knows when the reader is signed out', () => {
  const failures = [
    new ChatFailure('', 401, 'not_signed_in'),
    new ChatFailure('', 401, 'user_id_mismatch'),
    new ChatFailure('Incorrect API key provided', 401, 'invalid_api_key'),
    new ChatFailure('', 401),
    new ChatFailure('', 403, 'not_signed_in'),
    new Error('x'),
  ];
  expect(failures.map(isSignedOut)).toEqual([true, true, false, false, false, false]);
});

import type { Fields } from '../../dialects/neutral/fields.js';
import { transcriberNamedBy, withSessionModel } from './session-model.js';

const known = { names: ['voice', 'own/voice'], upstreamModel: 'gpt-realtime' };

it('names the model as the provider does', () => {
  for (const model of [...known.names, 'gpt-realtime']) {
    const event = { type: 'session.update', session: { model, voice: 'alloy' } };
    const sent = { type: 'session.update', session: { model: 'gpt-realtime', voice: 'alloy' } };
    expect(withSessionModel(event, known)).toEqual(sent);
  }
  const response = { type: 'response.create', response: { model: 'voice' } };
  expect(withSessionModel(response, known)).toEqual({ type: 'response.create', response: { model: 'gpt-realtime' } });
});

it.each([
  { type: 'session.update', session: { voice: 'alloy' } },
  { type: 'session.update', session: { model: null } },
  { type: 'response.create' },
  { type: 'session.update', session: 'gpt-realtime' },
  { type: 'session.update', session: { audio: { input: { transcription: { model: 'whisper-1' } } } } },
])('leaves an event alone that names none: %j', (event) => {
  expect(withSessionModel(event, known)).toBe(event);
});

it.each([
  ['session.model', { type: 'session.update', session: { model: 'gpt-4o-realtime-preview' } }],
  ['response.model', { type: 'response.create', response: { model: 'gpt-4o-realtime-preview' } }],
  ['session.model', { type: 'session.update', session: { model: ['voice'] } }],
  ['session.model', { type: 'session.update', session: { model: '' } }],
])('refuses another one at %s', (field, event) => {
  expect(() => withSessionModel(event, known)).toThrow(
    expect.objectContaining({
      wireCode: 'invalid_request',
      message: expect.stringContaining(field) as string,
    }) as Error,
  );
});

describe('a session for transcripts', () => {
  const session = { names: ['prefix/asked', 'asked'], upstreamModel: 'theirs', isTranscription: true };
  const old = (model: unknown): object => ({ input_audio_transcription: { model, language: 'en' } });
  const current = (model: unknown): object => ({
    type: 'transcription',
    audio: { input: { transcription: { model }, turn_detection: null } },
  });
  const update = (fields: object): Fields => ({ type: 'session.update', session: fields });

  it.each([old, current])('has the provider’s name of its model', (fields) => {
    for (const name of ['prefix/asked', 'asked', 'theirs']) {
      expect(withSessionModel(update(fields(name)), session)).toEqual(update(fields('theirs')));
    }
    const unnamed = update(fields(undefined));
    expect(withSessionModel(unnamed, session)).toBe(unnamed);
  });

  it.each<[what: string, fields: object, message: RegExp]>([
    ['another model', old('other'), /session\.input_audio_transcription\.model is not the model/],
    ['another one under audio', current('other'), /session\.audio\.input\.transcription\.model is not the model/],
    ['another one beside its own', { ...current('asked'), ...old('other') }, /input_audio_transcription\.model/],
    ['no text', current(7), /is not the model/],
    ['a model that responds', { type: 'realtime' }, /session\.type is not transcription/],
    ['such a model by its name', { ...current('asked'), model: 'gpt-realtime' }, /session\.model is not the model/],
  ])('refuses %s', (_what, fields, message) => {
    expect(() => withSessionModel(update(fields), session)).toThrow(message);
  });

  it('takes its model from an update alone', () => {
    const beta = { type: 'transcription_session.update', session: old('asked') };
    expect([update(current('asked')), beta].map(transcriberNamedBy)).toEqual(['asked', 'asked']);
    const others = [{ type: 'response.create', session: current('asked') }, update({}), update(current('')), {}];
    expect(others.map(transcriberNamedBy)).toEqual([null, null, null, null]);
    expect(() => transcriberNamedBy(update({ ...current('asked'), type: 'realtime' }))).toThrow(/session\.type/);
  });
});

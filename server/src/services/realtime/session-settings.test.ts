import type { Fields } from '../../dialects/neutral/fields.js';
import { SessionSettings } from './session-settings.js';

const session = { type: 'realtime', audio: { input: { turn_detection: { type: 'server_vad' } } } };
const update = { type: 'session.update', session: { type: 'realtime', voice: 'verse' } };
const confirmed = { type: 'session.updated', session };
const refusalOf = ({ event_id }: Fields): Fields => ({ type: 'error', error: { code: 'x', event_id } });

function opened(): SessionSettings {
  const settings = new SessionSettings(false);
  settings.fromUpstream({ type: 'session.created', session });
  return settings;
}

describe('silence, which a provider with turn detection drops', () => {
  it('costs while an update is not answered, and no longer once it is refused', () => {
    const settings = opened();
    expect(settings.keptSilence).toBe(1);
    const sent = settings.fromClient({ ...update, event_id: 'mine' });
    expect(settings.keptSilence).toBe(Infinity);
    // The client sees the id of its own event.
    expect(settings.refused(refusalOf(sent))).toEqual(refusalOf({ event_id: 'mine' }));
    expect(settings.keptSilence).toBe(1);
    settings.fromClient(update);
    expect(settings.keptSilence).toBe(Infinity);
    settings.fromUpstream(confirmed);
    expect(settings.keptSilence).toBe(1);
  });

  it('costs where the provider refused another event, which has the id of the update', () => {
    const settings = opened();
    settings.fromClient({ ...update, event_id: 'mine' });
    for (const id of ['mine', 'tollgate_update_mine', null, undefined]) {
      const refusal = refusalOf({ event_id: id });
      expect(settings.refused(refusal)).toBe(refusal);
    }
    expect(settings.keptSilence).toBe(Infinity);
  });
});

it('what a refused update asked for does not apply, and its error has no id where the client gave none', () => {
  const settings = opened();
  settings.fromUpstream({
    type: 'session.updated',
    session: { type: 'realtime', audio: { input: { turn_detection: null } } },
  });
  expect(settings.responds).toBe(false);
  const sent = settings.fromClient({ type: 'session.update', session });
  expect(settings.responds).toBe(true);
  expect(settings.refused(refusalOf(sent))).toEqual(refusalOf({ event_id: null }));
  expect(settings.responds).toBe(false);
});

/**
 * A client leaves a session for transcripts after every number of event loop iterations. Its slot is free for the next
 * session at once.
 */
import { LeaveSite } from '../support/leave-site.js';
import { commit, completed, current, transcribe } from '../support/transcription.js';
import { send } from '../support/upstream/realtime.js';

let site: LeaveSite;

beforeAll(async () => {
  site = await LeaveSite.start('gpt-4o-transcribe', (upstream) => {
    upstream.receive = transcribe();
  });
});
afterAll(() => site.stop());

it('at every moment', async () => {
  const phases = await site.leaveAtEveryMoment('intent=transcription', (socket, type) => {
    if (type === current.created) send(socket, current.update('gpt-4o-transcribe'));
    if (type === current.updated) send(socket, commit);
    if (type === completed) socket.terminate();
  });
  // Some clients left before the upgrade, some while the server waited for the model or connected to the provider, and one
  // got its transcript.
  expect(phases).toEqual(expect.arrayContaining([undefined, current.created, completed]));
  await site.expectNothingHeld();
}, 300_000);

import { writeJson } from '../../../shared/exact-json.js';
import { writeBody } from './written-body.js';

it.each(['messages', 'input', 'contents'])('writes %s of any length like writeJson', (name) => {
  for (const turns of [0, 1, 15, 16, 400]) {
    const text = 'said "before"\n'.repeat(100);
    const body = { model: 'm', [name]: Array.from({ length: turns }, (_, turn) => ({ turn, text })), stream: true };
    for (let round = 0; round < 2; round++) expect(writeBody(body).toString()).toBe(writeJson(body));
  }
});

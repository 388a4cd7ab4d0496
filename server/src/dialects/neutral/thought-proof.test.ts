import { makerOfProof } from './thought-proof.js';

it.each([
  ['EvQBCkYICxgCKkAxhD4NUKFzudtZ6NzbZdEiBACI', 'anthropic'],
  ['EqQBCgIYAhIM1gbcDa9GJwZA2b3h', 'anthropic'],
  ['EmwKAhgBEgy3va3pzix/LafPsn4a', 'anthropic'],
  ['claude#anything', 'anthropic'],
  ['EskgCsYgAb4+9vtF7/499YQS2bjZs3xcQI+iAl+I', 'google'],
  ['EqUCCqICAb4+9vsh8Pd5taZVoPzSvjWWwzBrvhEQ', 'google'],
  ['CiQB0e2KbyCvCVGaTlJ5fyFa', 'google'],
  ['gAAAAABpQx0', 'openai'],
  ['rs_68a1:gAAAAABpQx0', 'openai'],
  ['c2ln', null],
  ['sig', null],
  ['', null],
])('%j was made by %s', (proof, maker) => {
  expect(makerOfProof(proof)).toBe(maker);
});

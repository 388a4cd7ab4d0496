import { hasTypedChoices } from './typed-choices.js';

it.each([
  [[1, 2], true],
  [['1', '2'], false],
])('walks a schema with the choices %j once, however often it is asked about', (choices, expected) => {
  let reads = 0;
  const level = {
    get enum() {
      reads++;
      return choices;
    },
  };
  const schema = { type: 'object', properties: { level } };
  expect(hasTypedChoices(schema)).toBe(expected);
  const first = reads;
  expect(first).toBeGreaterThan(0);
  expect(hasTypedChoices(schema)).toBe(expected);
  expect(reads).toBe(first);
});

import { parseFields } from './json.js';

it.each<[string, unknown]>([
  ['{"default":"v1"}', { default: 'v1' }],
  [' \t\r\n{"a":1} \n', { a: 1 }],
  ['', null],
  ['v1beta', null],
  ['[{"a":1}]', null],
  ['"{}"', null],
  ['null', null],
  ['{"a":1', null],
  ['{"a":1}}', null],
  ['\uFEFF{"a":1}', null],
])('reads the fields of %j', (text, fields) => {
  expect(parseFields(text)).toEqual(fields);
});

import { browserOf } from './browserOf.js';

const like = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko)';

it.each([
  [`${like} Chrome/142.0.0.0 Safari/537.36`, 'Chrome · macOS'],
  [`${like} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`, 'Edge · macOS'],
  [`${like} Version/18.1 Safari/605.1.15`, 'Safari · macOS'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox · Linux'],
  [
    'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/142.0.0.0 Mobile Safari/537.36',
    'Chrome · Android',
  ],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) Version/18.1 Mobile/15E148 Safari/604.1', 'Safari · iPhone'],
  ['curl/8.9.1', 'curl'],
  ['node', 'node'],
  [' ', null],
])('calls %s %s', (userAgent, expected) => {
  expect(browserOf(userAgent)).toBe(expected);
});

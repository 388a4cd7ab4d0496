import { frameAddress } from './frameAddress.js';
import { cleanHtml, richHtml } from './richText.js';

it('turns Markdown into HTML', () => {
  expect(richHtml('# Title\n\n**bold** [link](https://example.com)')).toBe(
    '<h1>Title</h1>\n<p><strong>bold</strong> <a href="https://example.com">link</a></p>\n',
  );
});

it.each([
  ['<script>alert(1)</script>x', 'x'],
  ['<img src="https://example.com/a.png" onerror="alert(1)">', '<img src="https://example.com/a.png">'],
  ['<a href="javascript:alert(1)">x</a>', '<a>x</a>'],
  ['<a href="//evil.example">x</a>', '<a>x</a>'],
  ['<p style="position:fixed" id="root" class="x">x</p>', '<p>x</p>'],
  ['<iframe src="https://evil.example"></iframe>x', 'x'],
  ['<form action="/graphql"><input name="a">x</form>', 'x'],
  ['<svg><script>alert(1)</script></svg>x', 'x'],
])('keeps nothing that acts in %s', (given, expected) => {
  expect(cleanHtml(given)).toBe(expected);
});

it('frames one https address and nothing else', () => {
  expect(frameAddress(' https://example.com/home ')).toBe('https://example.com/home');
  expect(frameAddress('http://example.com')).toBeNull();
  expect(frameAddress('see https://example.com')).toBeNull();
  expect(frameAddress('javascript:alert(1)')).toBeNull();
});

import { markdownBlocks, modelHtml } from './modelText.js';

it('shows the HTML a model writes as text', () => {
  expect(modelHtml('Use <b>bold</b> and\n\n<script>alert(1)</script>')).not.toMatch(/<b>|<script/);
  expect(modelHtml('a <img src=x onerror=alert(1)>')).toContain('&lt;img src=x onerror=alert(1)&gt;');
});

it('opens links beside the console, and no link that acts', () => {
  expect(modelHtml('[docs](https://example.com "a \\"b\\"")')).toContain(
    '<a href="https://example.com" title="a &quot;b&quot;" target="_blank" rel="noopener noreferrer">docs</a>',
  );
  expect(modelHtml('[x](javascript:alert(1))')).not.toContain('javascript');
});

it('takes code blocks out, with their language, also one that is still being written', () => {
  expect(markdownBlocks('Point:\n\n```python title="a"\nprint(1)\n```\n\nDone. ```\n\n```js\nlet a')).toEqual([
    { kind: 'text', text: 'Point:' },
    { kind: 'code', language: 'python', text: 'print(1)' },
    { kind: 'text', text: 'Done. ```' },
    { kind: 'code', language: 'js', text: 'let a' },
  ]);
});

import { renderMarkdown } from './markdown.js';

const render = (source: string) => renderMarkdown(source, (href) => (href === 'none.md' ? null : `/docs/${href}`));

describe('renderMarkdown', () => {
  it('shows HTML of the file as text', () => {
    const { html } = render('Text <script>alert(1)</script>\n\n<img src=x onerror=alert(1)>\n\n`<b>`');
    expect(html).not.toMatch(/<(?:script|img|b)[ >]/);
    expect(html).toContain('&#60;script&#62;alert(1)');
  });

  it('forms ids as code hosts do, each once', () => {
    const { html, sections } = render('# A `rejected.jsonl`, and more\n\n## Twice\n\n## Twice\n\n## 价格：一\n');
    expect(sections.map(({ heading }) => heading.id)).toEqual([
      'a-rejectedjsonl-and-more',
      'twice',
      'twice-1',
      '价格一',
    ]);
    expect(html).toContain('<h2 id="twice-1">');
  });

  it('gives each heading the plain text up to the next one', () => {
    const { sections } = render(
      '# Title\n\nFirst **bold** [link](a.md).\n\n## Table\n\n| a | b |\n| - | - |\n| `1` | 2 |\n',
    );
    expect(sections.map(({ text }) => text)).toEqual(['First bold link.', 'a b 1 2']);
  });

  it('resolves links, and shows a file that is not served as text', () => {
    const { html } = render('[page](a.md) [source](none.md)');
    expect(html).toContain('<a href="/docs/a.md">page</a>');
    expect(html).toContain('<span class="file">source</span>');
  });

  it('does not break out of an attribute', () => {
    const { html } = renderMarkdown('[x](a)', () => '"><script>');
    expect(html).not.toContain('<script>');
  });
});

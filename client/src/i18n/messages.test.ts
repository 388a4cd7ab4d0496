import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { en } from './en/en.js';
import { languages } from './languages.js';
import { zh } from './zh/zh.js';

type Tree = { readonly [key: string]: string | Tree };

function flatten(tree: Tree, prefix = ''): Map<string, string> {
  const entries = Object.entries(tree).flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' ? [[`${prefix}${key}`, value]] : [...flatten(value, `${prefix}${key}.`)],
  );
  return new Map(entries);
}

const english = flatten(en);
const chinese = flatten(zh);
const plural = /_(zero|one|two|few|many|other)$/;
const names = (texts: ReadonlyMap<string, string>) => new Set([...texts.keys()].map((key) => key.replace(plural, '')));
const variables = (text: string) => [...text.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1]).sort();

it('chooses among all languages before the first paint', () => {
  const script = readFileSync(join(__dirname, '../../public/boot.js'), 'utf8');
  const [, listed = ''] = /\[(.+)\]\.includes\(language\)/.exec(script) ?? [];
  const named = [...listed.matchAll(/'(\w+)'/g)].map(([, name]) => name);
  expect([...named, 'en'].toSorted()).toEqual(languages.toSorted());
});

describe.each(languages)('%s', (language) => {
  let texts: ReadonlyMap<string, string>;
  beforeAll(async () => {
    const { first } = (await import(`./${language}/first.js`)) as { first: Tree };
    const screens = (await import(`./${language}/screens.js`)) as Tree;
    texts = new Map([...flatten(first), ...flatten(screens)]);
  });

  it('has every key of English, and no other', () => {
    expect([...names(texts)].sort()).toEqual([...names(english)].sort());
  });

  it('has every plural form of the language', () => {
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
    const plurals = [...english.keys()].filter((key) => plural.test(key)).map((key) => key.replace(plural, ''));
    const wanted = plurals.flatMap((key) => pluralCategories.map((category) => `${key}_${category}`));
    expect(wanted.filter((key) => !texts.has(key))).toEqual([]);
  });

  it('fills in the values of English', () => {
    for (const [key, text] of texts) {
      const same = english.get(key) ?? english.get(key.replace(plural, '_other')) ?? '';
      expect([key, variables(text)]).toEqual([key, variables(same)]);
    }
  });

  // 成功请求数 is a count. All other texts about success need no such word.
  it('leaves no text empty and exclaims nothing', () => {
    for (const [key, text] of texts) {
      expect([key, text.trim() === '' || /[!！]|successfully|成功(?!请求|率)/.test(text)]).toEqual([key, false]);
    }
  });
});

it('writes Chinese with full-width punctuation and a space to Latin words', () => {
  for (const [key, text] of chinese) {
    const plain = text.replace(/\{\{\w+\}\}/g, '§');
    expect([key, /\p{Script=Han}[,;?!]|\p{Script=Han}[A-Za-z]|[A-Za-z]\p{Script=Han}/u.test(plain)]).toEqual([
      key,
      false,
    ]);
  }
});

/** Props whose text users read or a screen reader reads. */
const readProps = new Set(['label', 'title', 'placeholder', 'aria-label', 'alt', 'text', 'verb', 'hint', 'meta']);
/** Names that are the same in every language. */
const sameEverywhere = /^(curl|Python|Node\.js|org-…)$/;

/**
 * Returns texts that a component shows without the dictionary: text between tags, and literals in props that users
 * read.
 */
function hardCodedWords(path: string): string[] {
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found: string[] = [];
  const keep = (text: string): void => {
    if (/\p{L}{2}/u.test(text) && !sameEverywhere.test(text.trim())) found.push(text.trim());
  };
  const look = (node: ts.Node): void => {
    if (ts.isJsxText(node)) keep(node.text);
    if (ts.isJsxAttribute(node) && readProps.has(node.name.getText(file)) && node.initializer) {
      const value = ts.isJsxExpression(node.initializer) ? node.initializer.expression : node.initializer;
      if (value && ts.isStringLiteral(value)) keep(value.text);
    }
    if (ts.isCallExpression(node) && /^toast\.|^confirm$/.test(node.expression.getText(file))) {
      node.arguments.filter(ts.isStringLiteral).forEach(({ text }) => {
        keep(text);
      });
    }
    ts.forEachChild(node, look);
  };
  look(file);
  return found;
}

const sources = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'testing' ? [] : sources(path);
    return entry.name.endsWith('.tsx') && !entry.name.endsWith('.test.tsx') ? [path] : [];
  });

it.each(sources(join(__dirname, '..')).map((path) => [path.replace(/^.*client\/src\//, ''), path] as const))(
  'finds no words for people in %s',
  (_name, path) => {
    expect(hardCodedWords(path)).toEqual([]);
  },
);

it('uses no key that does not exist', () => {
  const used = sources(join(__dirname, '..')).flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/\bt\(\s*'([\w.]+)'/g)].map((match) => match[1] ?? ''),
  );
  const known = names(english);
  expect(used.filter((key) => !known.has(key))).toEqual([]);
});

/** Words that read as translated, and pronouns for users and software. */
const unidiomatic = /\b(whoever|nobody|somebody|everybody|told|heard|thereby|picture|pictures|he|his|him)\b/i;

it('writes idiomatic English', () => {
  expect([...english].filter(([, text]) => unidiomatic.test(text))).toEqual([]);
});

it('does not promise that a demo site is read-only', () => {
  const about = [...english, ...chinese].filter(([key]) => /demo/i.test(key)).map(([, text]) => text);
  expect(
    about.filter((text) => /can(not|’t) be changed|nothing can be changed|无法(修改|更改)|不能(修改|更改)/i.test(text)),
  ).toEqual([]);
  expect(
    [en.setup.demoLong, en.settings.hints.demoSite].filter((text) => !/nothing (is|becomes) read-only/i.test(text)),
  ).toEqual([]);
  expect(
    [zh.setup.demoLong, zh.settings.hints.demoSite].filter((text) => !/并非只读|不会使任何内容变为只读/.test(text)),
  ).toEqual([]);
});

it('uses one Chinese word for one thing', () => {
  const wrong = /(?<!服务)账号|加密保存|模型映射|\btokens?\b|\btok\b/;
  expect([...chinese].filter(([, text]) => wrong.test(text.replace(/\{\{\w+\}\}/g, '')))).toEqual([]);
});

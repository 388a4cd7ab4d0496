/**
 * `npm run check -- references`: references between code and documents: links in Markdown, `docs/….md#heading` in comments and tests, and paths of
 * source files named in documents; in the recipes for contributors every file, folder and identifier. Everything must resolve, headings included. Prints `file:line: target` for each that does not.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const scanned = /\.(?:ts|tsx|mjs|cjs|md|graphql|yml)$/;
const pointer = /(?<![\w/.-])(?:docs\/[\w./-]+|server\/ARCHITECTURE|CONTRIBUTING|SECURITY|CHANGELOG)\.md(?:#[\w-]+)?/g;
const link = /\]\((?!https?:|mailto:)([^)\s]+)\)/g;
/** A source file in backquotes. Placeholders such as `<noun>` and patterns do not match. */
const namedPath = /`((?:server|client|tests|scripts|docs|schema)\/[\w./-]+\.(?:ts|tsx|mjs|md|json|css|graphql))`/g;
/** Recipes name a file or a folder by the end of its path. */
const isRecipe = (file) => /^(?:server\/ARCHITECTURE|docs\/(?:\w+\/)?guide\/contributing)\.md$/.test(file);
const shortPath = /`(\w[\w./-]*(?:\.(?:tsx?|mjs|md|json|css|graphql|js)|\/))`/g;
/** A name of the code, such as `isRateLimited`, `Relay.answer` or `AlertRow`. Names of files are paths. */
const identifier = /`(?!\w+\.(?:tsx?|mjs|md|json|graphql|js)`)((?=\w*[a-z][A-Z]|[A-Z]\w*[a-z])[\w.]+)(?:\(\))?`/g;
/** Historical records name files as they were then. */
const isRecord = (file) => /^(?:docs\/adr\/|CHANGELOG\.md|docs\/benchmarks\.md)/.test(file);

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter(existsSync);
const isNamed = (path) =>
  files.some((file) => (path.endsWith('/') ? `/${file}`.includes(`/${path}`) : `/${file}`.endsWith(`/${path}`)));

const code = /\.(?:tsx?|mjs|graphql)$/;
let words;

/** Whether the code has every word of `Relay.answer`. */
function isInCode(name) {
  words ??= new Set(
    files.filter((file) => code.test(file)).flatMap((file) => readFileSync(file, 'utf8').match(/\w+/g) ?? []),
  );
  return name.split('.').every((word) => words.has(word));
}

function brokenIn(file) {
  const text = readFileSync(file, 'utf8');
  const isDocument = file.endsWith('.md');
  const lines = isDocument ? withoutFences(text) : text.split('\n');
  return lines.flatMap((line, index) => {
    const targets = [...line.matchAll(pointer)].map(([target]) => ({ target, from: '.' }));
    if (isDocument) {
      targets.push(...[...line.matchAll(link)].map(([, target]) => ({ target, from: dirname(file), file })));
      if (!isRecord(file)) targets.push(...[...line.matchAll(namedPath)].map(([, target]) => ({ target, from: '.' })));
    }
    const short = isRecipe(file) ? [...line.matchAll(shortPath)].map(([, path]) => path) : [];
    const names = isRecipe(file) ? [...line.matchAll(identifier)].map(([, name]) => name) : [];
    const broken = targets.filter(({ target, from }) => !resolves(target, from, file)).map(({ target }) => target);
    const missing = [...short.filter((path) => !isNamed(path)), ...names.filter((name) => !isInCode(name))];
    return [...broken, ...missing].map((target) => `${file}:${index + 1}: ${target}`);
  });
}

function resolves(target, from, file) {
  const [path, anchor] = target.split('#');
  const resolved = path === '' ? file : normalize(join(from, decodeURIComponent(path)));
  if (!existsSync(resolved)) return false;
  return anchor === undefined || !resolved.endsWith('.md') || headingsOf(resolved).has(anchor);
}

const known = new Map();

/** Anchors as code hosts generate them: lower case, punctuation removed, spaces to dashes, repeats numbered. */
function headingsOf(file) {
  let anchors = known.get(file);
  if (anchors) return anchors;
  anchors = new Set();
  for (const line of withoutFences(readFileSync(file, 'utf8'))) {
    const title = /^#{1,6} +(.*?) *$/.exec(line)?.[1];
    if (title === undefined) continue;
    const slug = title
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{Letter}\p{Number}\s_-]/gu, '')
      .replace(/\s/g, '-');
    let anchor = slug;
    for (let repeat = 1; anchors.has(anchor); repeat++) anchor = `${slug}-${repeat}`;
    anchors.add(anchor);
  }
  known.set(file, anchors);
  return anchors;
}

/** The same lines, with code fences blanked. */
function withoutFences(text) {
  let inside = false;
  return text.split('\n').map((line) => {
    if (/^\s*(?:```|~~~)/.test(line)) {
      inside = !inside;
      return '';
    }
    return inside ? '' : line;
  });
}

const broken = files.filter((file) => scanned.test(file)).flatMap(brokenIn);
for (const line of broken) console.log(line);
process.exitCode = broken.length > 0 ? 1 : 0;

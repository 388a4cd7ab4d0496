/**
 * `npm run vocabulary`: words that make a sentence hard to read for a newcomer, in comments (also of SQL, styles and
 * configuration), Markdown, log messages, errors, GraphQL descriptions and the console's English texts. Prints `file:line: word: text` and a count per folder; exits
 * with 1 if there are any. Text in backquotes or double quotes is a quotation and is skipped. `npm run vocabulary --
 * server/src/gateway` checks one folder.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { root } from './build.mjs';

const verbs = 'is|are|was|were|has|have|had|comes|came|goes|went|stands|stood|holds|happens|does|did|can|may|will|else';
const rules = [
  ['nobody, somebody', /\b(?:nobody|somebody)\b/gi],
  ['whoever', /\bwhoever\b/gi],
  ['whatever as subject', new RegExp(String.raw`\bwhatever\s+(?:${verbs})\b`, 'gi')],
  ['he, his, him', /\b(?:he|his|him|himself)\b/gi],
  ['away for unavailable', /\b(?:is|are|was|were|be|been|being|goes|went|gone|stays?|stayed)\s+away\b/gi],
  ['told, heard', /\b(?:told|heard)\b/gi],
  ['thereby', /\bthereby\b/gi],
];
const beginsWithWhat = /^What\s/;
const quotation = /`[^`]*`|"[^"]*"|“[^”]*”/g;

const logMethods = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal']);
/** Files that are checked as a whole. */
const plain =
  /(?:\.(?:css|graphql|hcl|html|py|service|sql|tpl|ya?ml)|(?:^|\/)(?:Dockerfile|\.env\.example|\.ci\/run))$/;
const english = /^client\/src\/i18n\/en\//;
const ignored =
  /^(?:client\/src\/(?:gql|generated)\/|schema\/|tests\/fixtures\/|docs\/adr\/0000-template\.md|package-lock\.json)/;

/** @returns {{ file: string, line: number, rule: string, text: string }[]} */
export function findWords(folder = '') {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', folder || '.'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  }).split('\n');
  return files
    .filter((file) => (/\.(?:ts|tsx|mjs|cjs|md)$/.test(file) || plain.test(file)) && !ignored.test(file))
    .flatMap((file) => {
      const source = readFileSync(join(root, file), 'utf8');
      const pieces = plain.test(file)
        ? wholeOf(source)
        : file.endsWith('.md')
          ? markdownOf(source)
          : textsOf(file, source);
      return pieces.flatMap((piece) => wordsIn(file, piece));
    });
}

/** @param piece text with the number of its first line */
function wordsIn(file, { line, text, isComment }) {
  const found = [];
  const bare = text.replace(quotation, (quoted) => quoted.replace(/[^\n]/g, ' '));
  const add = (rule, index) => {
    const start = bare.lastIndexOf('\n', index) + 1;
    const end = bare.indexOf('\n', index);
    const shown = text.slice(start, end === -1 ? undefined : end).trim();
    found.push({ file, line: line + bare.slice(0, index).split('\n').length - 1, rule, text: shown });
  };
  if (isComment && beginsWithWhat.test(bare.trim())) add('begins with "What "', bare.search(/\S/));
  for (const [rule, pattern] of rules) for (const match of bare.matchAll(pattern)) add(rule, match.index);
  return found;
}

const wholeOf = (source) => [{ line: 1, text: source.replaceAll('"""', '   '), isComment: false }];

/** Paragraphs outside code fences. */
function markdownOf(source) {
  let inside = false;
  const lines = source.split('\n').map((line) => {
    const isFence = /^\s*(?:```|~~~)/.test(line);
    if (isFence) inside = !inside;
    return inside || isFence ? '' : line;
  });
  return [{ line: 1, text: lines.join('\n'), isComment: false }];
}

function textsOf(file, source) {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const pieces = [];
  const seen = new Set();
  const lineOf = (position) => tree.getLineAndCharacterOfPosition(position).line + 1;
  const addString = (node) => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
      pieces.push({ line: lineOf(node.getStart()), text: node.getText().slice(1, -1), isComment: false });
    }
  };
  const addSqlComments = (node) => {
    for (const { 1: text, index } of node.getText().matchAll(/^[ \t]*--\s(.*)$/gm)) {
      pieces.push({ line: lineOf(node.getStart() + index), text, isComment: true });
    }
  };
  const addComments = (ranges) => {
    for (const { pos, end } of ranges ?? []) {
      if (seen.has(pos)) continue;
      seen.add(pos);
      const raw = source.slice(pos, end);
      const text = raw
        .replace(/^\/\*+/, (mark) => ' '.repeat(mark.length))
        .replace(/\*+\/$/, '')
        .replace(/^[ \t]*\*(?!\/)/gm, (mark) => ' '.repeat(mark.length))
        .replace(/^\/\//, '  ');
      pieces.push({ line: lineOf(pos), text, isComment: true, isLine: raw.startsWith('//'), pos });
    }
  };
  const visit = (node) => {
    if (node.kind !== ts.SyntaxKind.JsxText) {
      addComments(ts.getLeadingCommentRanges(source, node.getFullStart()));
      addComments(ts.getTrailingCommentRanges(source, node.getEnd()));
    }
    if (english.test(file)) addString(node);
    if (ts.isCallExpression(node) && isLogCall(node)) node.arguments.forEach(addString);
    if (ts.isNewExpression(node) && /Error$/.test(node.expression.getText())) node.arguments?.forEach(addString);
    if (ts.isTemplateExpression(node) || ts.isNoSubstitutionTemplateLiteral(node)) addSqlComments(node);
    if (ts.isPropertyAssignment(node) && node.name.getText() === 'description') addString(node.initializer);
    node.getChildren().forEach(visit);
  };
  visit(tree);
  return joinLineComments(pieces.toSorted((left, right) => (left.pos ?? 0) - (right.pos ?? 0)));
}

const isLogCall = ({ expression }) =>
  ts.isPropertyAccessExpression(expression) &&
  logMethods.has(expression.name.text) &&
  /log/i.test(expression.expression.getText());

/** Only the first of several `//` lines begins a comment. */
function joinLineComments(pieces) {
  let previous = null;
  return pieces.map((piece) => {
    const continues = piece.isLine && previous?.isLine && previous.line === piece.line - 1;
    previous = piece;
    return continues ? { ...piece, isComment: false } : piece;
  });
}

/** Folders by which work is divided: two levels of the client and tests, three of the server. */
const folderOf = (file) => {
  const parts = file.split('/').slice(0, -1);
  if (parts.length === 0) return '(root)';
  return parts.slice(0, parts[0] === 'server' ? 4 : parts[0] === 'client' ? 3 : 2).join('/');
};

/** @returns {string} counts, largest first */
export function countsOf(found) {
  const counts = new Map();
  for (const { file } of found) counts.set(folderOf(file), (counts.get(folderOf(file)) ?? 0) + 1);
  return [...counts]
    .toSorted(([, left], [, right]) => right - left)
    .map(([folder, count]) => `${String(count).padStart(6)}  ${folder}`)
    .join('\n');
}

export const lineOf = ({ file, line, rule, text }) => `${file}:${line}: ${rule}: ${text}`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const parameters = process.argv.slice(2);
  const found = findWords(parameters.find((parameter) => !parameter.startsWith('--')));
  if (!parameters.includes('--counts')) for (const one of found) console.log(lineOf(one));
  console.log(`\n${countsOf(found)}\n\n${found.length} in all`);
  process.exitCode = found.length > 0 ? 1 : 0;
}

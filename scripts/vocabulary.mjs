/**
 * `npm run check -- vocabulary`: words that make a sentence hard to read for a newcomer, in comments, documents, configuration,
 * log messages, errors, descriptions and the console's English texts, and comments that begin without a subject. Prints
 * `file:line: text` for each. Text in backquotes or double quotes is a quotation and is skipped.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const verbs = 'is|are|was|were|has|have|had|comes|came|goes|went|stands|stood|holds|happens|does|did|can|may|will|else';
const words = [
  'nobody|somebody|whoever|he|his|him|himself|told|heard|thereby',
  `whatever (?:${verbs})`,
  '(?:is|are|was|were|be|been|being|goes|went|gone|stays?|stayed) away',
];
const hard = new RegExp(`\\b(?:${words.join('|')})\\b`, 'i');
const quotation = /`[^`]*`|"[^"]*"|“[^”]*”/g;
/** In a line of code, backquotes are the marks of a text. */
const quotationInText = /"[^"]*"|“[^”]*”/g;
const without = (pattern, text) => text.replace(pattern, (quoted) => quoted.replace(/[^\n]/g, ' '));

const code = /\.(?:ts|tsx|mjs|cjs)$/;
const document =
  /\.(?:css|graphql|hcl|html|md|py|service|sql|tpl|ya?ml)$|(?:^|\/)(?:Dockerfile|\.env\.example|\.ci\/run)$/;
const ignored = /^(?:schema|tests\/fixtures)\/|^docs\/adr\/0000-template\.md$|^scripts\/vocabulary\.mjs$/;
const comment = /^\s*(?:\/\/|\/\*|\*|--)|\s(?:\/\/|\/\*|--)\s/;
/** A line of code with a message for people: the text of an error or of the log, a description, or a string alone. */
const message = /^\s*['"`]|Error\(|log\w*\.\w+\(|description:/i;
const isEnglish = (file) => file.startsWith('client/src/i18n/en/');
const isTest = (file) => /^tests\/|\.test\.tsx?$/.test(file);

const isText = (file, line) => isEnglish(file) || (!isTest(file) && message.test(line));
/** A comment that begins like this has no subject: the reader has to find out what it is about. */
const opensWithoutSubject =
  /(?:\/\*\*?|(?:^|\s)\/\/) (?:What|Of|Those|Which|Who|Whose|That of|One that|Not (?:of|those|that)|Also|By which|As of)\s/;

function linesOf(file) {
  const text = readFileSync(file, 'utf8');
  if (!code.test(file)) return without(quotation, text).split('\n');
  return text.split('\n').map((line) => {
    if (comment.test(line)) return without(quotation, line);
    return isText(file, line) ? without(quotationInText, line) : '';
  });
}

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' });
for (const file of files.split('\n')) {
  if (!(code.test(file) || document.test(file)) || ignored.test(file) || !existsSync(file)) continue;
  linesOf(file).forEach((line, index) => {
    if (!hard.test(line) && !(code.test(file) && opensWithoutSubject.test(line))) return;
    console.log(`${file}:${index + 1}: ${line.trim()}`);
    process.exitCode = 1;
  });
}

import { parseExact } from '../../../shared/exact-json.js';
import { AppError } from '../../../shared/errors.js';
import {
  assertJsonBounds,
  type JsonShape,
  newJsonScan,
  parseFields,
  parseJson,
  scanJson,
} from '../../../shared/json.js';
import { nextSlice, pause } from '../../../shared/slices.js';
import { lateList } from '../../../shared/late-list.js';
import { partLength, shareTurns } from '../../../shared/turns.js';
import { malformed, RelayError } from '../../errors/relay-error.js';
import { decisiveNames } from '../../priced-fields.js';
import { foldedName, type Json } from '../../neutral/fields.js';
import { CutBody, numberOfCut } from './cut-body.js';
import { maxFieldBytes, TurnMarks, turnNames, type KnownTurns, type TurnMemory, type Turns } from './known-turns.js';

/**
 * The largest lists that clients send are token ids of embeddings, 300,000 in a call. Tool schemas nest some 40 levels.
 */
const bounds = { maxDepth: 128, maxValues: 400_000 };

/**
 * Parses the body of a call, or an event of a client.
 * @throws RelayError invalid_request when the bytes are no JSON object, are nested too deeply or have too many values, or
 * name a field in a way that another parser could read differently
 */
export function parseJsonBody(bytes: Buffer, limits = bounds): Json {
  const isSmall = bytes.length < minRemembered;
  const known = isSmall ? undefined : (parsedBodies.get(bytes) ?? continued(bytes));
  if (known) return known;
  const marks = memories.has(bytes) ? new TurnMarks(bytes) : undefined;
  const shape = worded(() => assertJsonBounds(bytes, limits, marks));
  const body = checked(parse(bytes.toString('utf8'), shape), shape);
  // The garbage collector has more work with a kept body than a parser with a small one.
  if (!isSmall) parsedBodies.set(bytes, body);
  if (marks && !shape.longValues) keep(bytes, body, marks, shape);
  return body;
}

/** Bytes. Smaller bodies are parsed quickly as a whole. */
export const minRemembered = 64 * 1024;
const memories = new WeakMap<Buffer, TurnMemory>();

/** Names the memory of the caller of a body, which then takes part in parsing it. */
export function rememberTurns(bytes: Buffer, memory: TurnMemory): void {
  if (bytes.length >= minRemembered) memories.set(bytes, memory);
}

/**
 * Parses the part of a body that follows known turns. A value is expected there, as after the bracket of a list, so the
 * rest is parsed as a list of its own. Large fields behind the turns that are the same as before, the tools above all, are
 * taken from there. Others change: two versions of Claude Code put a number of the call into `system`, and Codex puts ids
 * into `client_metadata`.
 * @returns undefined when no turn is known, or the rest is large or not valid: then the whole body is parsed
 */
function continued(bytes: Buffer): Json | undefined {
  const known = memories.get(bytes)?.find(bytes);
  if (!known) return undefined;
  const { before } = known;
  const marks = new TurnMarks(bytes, known);
  const { turns } = marks;
  const [end = 0, values = 0, members = 0] = [turns?.commas.at(-1), turns?.values.at(-1), turns?.members.at(-1)];
  const passedOver = Math.min(maxFieldBytes, sumOf(known.fields.map(({ length }) => length)));
  if (!turns || bytes.length - end - passedOver > largeBody) return undefined;
  const scan = { ...newJsonScan(), at: end + 1, value: end, depth: 2, values, members };
  worded(() => scanJson(bytes, scan, bounds, bytes.length, marks));
  if (scan.longValues || turns.close === undefined) return undefined;
  const rest = parseJson(`{"${turns.name}":[${textWithout(marks.known, bytes, end + 1)}`);
  if (!isFields(rest)) return undefined;
  const { [turns.name]: added, ...own } = rest;
  // A list may be empty, but not after a comma.
  if (!Array.isArray(added) || added.length === 0) return undefined;
  const head = before?.head ?? headOf(bytes, turns);
  const isRepeated =
    countMembers(rest) - 1 + sumOf(marks.known.map((field) => field.members)) !== scan.members - members;
  if (!head || isRepeated || Object.keys(own).some((name) => Object.hasOwn(head, name))) return undefined;
  for (const { name, value } of marks.known) own[name] = value;
  const body = { ...head, [turns.name]: withKnown(known, bytes, added as unknown[]), ...own };
  checkAllNames(body);
  parsedBodies.set(bytes, body);
  keep(bytes, body, marks, { head, values: scan.values, known });
  return body;
}

/** Returns the known turns and those that were added. */
function withKnown({ before, turns, count, onRead }: KnownTurns, bytes: Buffer, added: readonly unknown[]): unknown[] {
  if (before) return [...before.parsed.slice(0, count), ...added];
  const groupOf = (group: number): readonly unknown[] => {
    if (group > 0) onRead?.();
    const first = group * partLength;
    const from = turns.commas[first - 1] ?? turns.open;
    const until = turns.commas[first + partLength - 1];
    return parseExact(`[${bytes.toString('utf8', from + 1, until)}]`) as unknown[];
  };
  return lateList({ length: count, groupLength: partLength, groupOf }, added);
}

/** Returns the fields before the turns. */
const headOf = (bytes: Buffer, { open }: Turns): Json | null => parseFields(`${bytes.toString('utf8', 0, open)}[]}`);

const sumOf = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);

/** Returns the text from a position on, with null in place of some fields. */
function textWithout(fields: TurnMarks['known'], bytes: Buffer, from: number): string {
  let text = '';
  let at = from;
  for (const { open, length } of fields) {
    text += `${bytes.toString('utf8', at, open)}null`;
    at = open + length;
  }
  return text + bytes.toString('utf8', at);
}

/** Longer lists are numbers, and no turns: tokens of an embedding. */
const maxTurns = 50_000;

/** Keeps a valid body for the calls that continue it. */
function keep(
  bytes: Buffer,
  body: Json,
  { turns, fields }: TurnMarks,
  { values, ...given }: { readonly values: number; readonly head?: Json; readonly known?: KnownTurns },
): void {
  const memory = memories.get(bytes);
  const parsed = turns && body[turns.name];
  if (!memory || !turns || !Array.isArray(parsed)) return;
  if (parsed.length !== turns.commas.length + 1 || parsed.length < 2 || parsed.length > maxTurns) return;
  const { known = null, head = headOf(bytes, turns) } = given;
  if (!head) return;
  shareTurns(parsed, known);
  // Tools stand before or behind the turns.
  for (const field of Object.values(body)) if (Array.isArray(field)) shareTurns(field);
  const knownFields = fields.map(({ name, open, length, ...counts }) => {
    return { ...counts, name, length, bytes: bytes.subarray(open, open + length), value: body[name] };
  });
  memory.keep({ bytes, values, turns, head, parsed, fields: knownFields }, known);
}

/** Bodies that are longer are parsed ahead, in slices. Bytes. */
export const largeBody = 512 * 1024;
/** Bytes outside strings that one turn of the event loop scans: some 10 ms. */
const bytesPerTurn = 4 * 1024 * 1024;
/** Bytes of strings that one turn of the event loop decodes: some 10 ms. */
const textPerTurn = 4 * 1024 * 1024;
/**
 * Maximum bytes outside strings: numbers, names and brackets. Even 400,000 token ids stay below it. Blanks count,
 * because a parser has to skip them too.
 */
const maxOutside = 16 * 1024 * 1024;

/** A body that is not small is parsed once, though several parts of a call read it. */
const parsedBodies = new WeakMap<Buffer, Json>();

/** Bytes. Parsing a larger body once more would take longer than other calls may wait. */
const maxParsedAgain = 2 * 1024 * 1024;

/**
 * Frees the turns of a parsed body, which its call rarely reads while a response arrives for minutes. Where the call reads
 * them after all, they are parsed once more, unless their conversation still has them.
 * @returns whether the turns are free
 */
export function freeTurns(bytes: Buffer): boolean {
  const body = parsedBodies.get(bytes);
  if (!body || bytes.length > maxParsedAgain) return false;
  const name = turnNames.find((each) => Array.isArray(body[each]));
  if (name === undefined) return false;
  const field = { enumerable: true, configurable: true };
  const turns = new WeakRef(body[name] as unknown[]);
  Object.defineProperty(body, name, {
    ...field,
    get: () => {
      const value = turns.deref() ?? (parseExact(bytes.toString('utf8')) as Json)[name];
      Object.defineProperty(body, name, { ...field, value, writable: true });
      return value;
    },
  });
  return true;
}

/**
 * Parses a large body without blocking the event loop, so that `parseJsonBody` then finds the result. Turns are parsed in
 * groups, one after another. Long strings (images in base64, documents) are cut out, decoded piece by piece, and inserted
 * again. Small bodies and other formats are ignored.
 * @param onCopies called with the bytes of long strings that take their size of memory once more, before they do
 * @throws RelayError as `parseJsonBody`
 */
export async function parseAhead(bytes: Buffer, onCopies?: (bytes: number) => void): Promise<void> {
  if (bytes.length <= largeBody || continued(bytes)) return;
  const scan = newJsonScan();
  const cut = new CutBody(bytes);
  while (scan.at < bytes.length) {
    await nextSlice();
    worded(() => scanJson(bytes, scan, bounds, bytesPerTurn, cut));
    if (scan.outside > maxOutside) throw malformed('the body has too many numbers or spaces');
  }
  const { value, members } = await parseGroups(cut, bytes.length, scan);
  const escaped = new Set<number>();
  let copied = 0;
  for (const [open, close] of cut.long) {
    if (await isPlain(bytes, open + 1, close)) continue;
    escaped.add(open);
    copied += close - open;
  }
  if (copied > 0) onCopies?.(copied);
  const texts: string[] = [];
  for (const [open, close] of cut.long) {
    texts.push(escaped.has(open) ? await decode(bytes, open, close) : bytes.toString('latin1', open + 1, close));
    await pause();
  }
  const body = checked(texts.length > 0 ? restore(value, texts) : value, scan, members);
  parsedBodies.set(bytes, body);
  if (!scan.longValues) keep(bytes, body, cut, scan);
}

/** Parses the turns of a body in groups, and everything around them as a body without turns. */
async function parseGroups(
  cut: CutBody,
  length: number,
  shape: JsonShape,
): Promise<{ readonly value: unknown; readonly members?: number }> {
  const { turns, groupEnds } = cut;
  if (!turns || groupEnds.length < 2) return { value: parse(cut.text(0, length), shape) };
  const { name, open } = turns;
  const list: unknown[] = [];
  let members = 0;
  let from = open;
  for (const end of groupEnds) {
    const group = (parse(`{"${name}":[${cut.text(from + 1, end)}]}`, shape) as Json)[name] as unknown[];
    // A list may be empty, but not beside a comma.
    if (group.length === 0) throw notJson();
    members += countMembers(group);
    for (const turn of group) list.push(turn);
    from = end;
    await pause();
  }
  const value = parse(cut.text(0, open + 1) + cut.text(from, length), shape);
  if (!isFields(value)) return { value };
  members += countMembers(value);
  value[name] = list;
  return { value, members };
}

/** Inserts the long strings at their placeholders. */
function restore(value: unknown, texts: readonly string[]): unknown {
  if (typeof value === 'string') {
    return texts[numberOfCut(value) ?? -1] ?? value;
  }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      if (typeof item === 'string' || typeof item === 'object') value[index] = restore(item, texts);
    }
  } else if (typeof value === 'object' && value !== null) {
    const fields = value as Json;
    for (const [key, item] of Object.entries(fields)) {
      if (typeof item === 'string' || typeof item === 'object') setOwn(fields, key, restore(item, texts));
    }
  }
  return value;
}

/** Assigning to `__proto__` would change the prototype. */
function setOwn(fields: Json, key: string, value: unknown): void {
  if (fields[key] === value) return;
  if (key === '__proto__')
    Object.defineProperty(fields, key, { value, enumerable: true, configurable: true, writable: true });
  else fields[key] = value;
}

const backslash = 0x5c;

/**
 * Decodes a string literal in pieces that begin and end between characters and escapes. V8 joins the pieces when the text is
 * read, which holds it twice.
 */
async function decode(bytes: Buffer, open: number, close: number): Promise<string> {
  let text = '';
  let at = open + 1;
  while (at < close) {
    let end = Math.min(close, at + textPerTurn);
    if (end < close) end = pieceEnd(bytes, at, end);
    const piece = bytes.subarray(at, end);
    // JSON.parse checks what decoding does not: control characters and unknown escapes.
    text += parse(`"${piece.toString('utf8')}"`) as string;
    at = end;
    await pause();
  }
  return text;
}

/** Whether a string literal is its own value: ASCII without escapes or control characters. */
async function isPlain(bytes: Buffer, start: number, close: number): Promise<boolean> {
  for (let at = start; at < close; at += textPerTurn) {
    if (!isPlainPiece(bytes, at, Math.min(close, at + textPerTurn))) return false;
    await pause();
  }
  return true;
}

function isPlainPiece(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x20 || byte > 0x7f || byte === backslash) return false;
  }
  return true;
}

/** Returns the last offset up to `end` that is neither inside an escape nor inside a UTF-8 sequence. */
function pieceEnd(bytes: Buffer, start: number, end: number): number {
  // The longest escape, \uXXXX, has six bytes.
  const slash = bytes.subarray(end - 6, end).lastIndexOf(backslash) + end - 6;
  if (bytes[slash] === backslash) {
    let run = 1;
    while (slash - run >= start && bytes[slash - run] === backslash) run++;
    const length = bytes[slash + 1] === 0x75 ? 6 : 2;
    if (run % 2 === 1 && slash + length > end) return slash;
  }
  let at = end;
  while (((bytes[at] ?? 0) & 0xc0) === 0x80 && at > start + 1) at--;
  return at;
}

function parse(text: string, { longValues }: Pick<JsonShape, 'longValues'> = { longValues: false }): unknown {
  const value = longValues ? parseExact(text) : parseJson(text);
  if (value === undefined) throw notJson();
  return value;
}

const notJson = (): RelayError => malformed('the body is not valid JSON');

/**
 * Fields that decide the price or which provider serves the call, by their names in lower case. Some upstreams compare
 * names without regard to case, and of a repeated name some use the first and some the last value. Such a call could be
 * priced by one value and served by another.
 */
const decisive = new Map(decisiveNames.map((name) => [foldedName(name), name]));
const asDocumented: ReadonlySet<string> = new Set(decisiveNames);
/** Two spellings of one field, both of which a provider accepts. */
const twins = [
  ['generationConfig', 'generation_config'],
  ['maxOutputTokens', 'max_output_tokens'],
  ['candidateCount', 'candidate_count'],
] as const;

/** @param members the members of all objects in the value, if they are counted already */
function checked(value: unknown, shape: JsonShape, members?: number): Json {
  if (!isFields(value)) throw malformed('the body is not a JSON object');
  if (shape.members !== (members ?? countMembers(value))) throw malformed('a field is repeated');
  checkAllNames(value);
  return value;
}

function checkAllNames(body: Json): void {
  checkNames(body);
  const config = body['generationConfig'] ?? body['generation_config'];
  if (isFields(config)) checkNames(config);
}

/** Returns the number of members of all objects in a value. */
function countMembers(value: object): number {
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value as unknown[]) if (typeof item === 'object' && item !== null) count += countMembers(item);
    return count;
  }
  for (const key of Object.keys(value)) {
    count++;
    const item = (value as Json)[key];
    if (typeof item === 'object' && item !== null) count += countMembers(item);
  }
  return count;
}

/** @throws RelayError invalid_request for a name that another parser could read as that of a priced field */
export function checkNames(fields: Json): void {
  for (const key of Object.keys(fields)) {
    if (asDocumented.has(key)) continue;
    const name = decisive.get(foldedName(key));
    if (name !== undefined) throw malformed(`${name} is spelled in another case`);
  }
  for (const [one, other] of twins) {
    if (Object.hasOwn(fields, one) && Object.hasOwn(fields, other)) throw malformed(`${one} is repeated`);
  }
}

const isFields = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function worded<T>(scan: () => T): T {
  try {
    return scan();
  } catch (error) {
    if (error instanceof AppError) throw new RelayError('INVALID_INPUT', error.message, 'invalid_request');
    throw error;
  }
}

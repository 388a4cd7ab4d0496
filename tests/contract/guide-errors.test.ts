import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toFailure } from '../../server/src/platform/http/rest-error.js';
import { paymentTestMessages } from '../../server/src/billing/payments/payment-test-outcomes.js';
import { toCallFailure } from '../../server/src/dialects/errors/failure.js';
import { AppError, errorCodes } from '../../server/src/shared/errors.js';

const root = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const sources = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => read(join(folder, file)));
const literals = (text: string): string[] => [...text.matchAll(/'([a-z]+(?:_[a-z]+)+)'/g)].map((match) => match[1]!);

/**
 * Codes that the relay writes in place of the usual one: names in the arguments of `new RelayError(`, of `withCode(`, and
 * constants called `…Code`.
 */
function wireCodes(): string[] {
  const found = ['dialects', 'gateway', 'services']
    .flatMap((room) => sources(`server/src/${room}`))
    .flatMap((text) => [
      ...text
        .split('new RelayError(')
        .slice(1)
        .flatMap((rest) => literals(rest.split(';')[0]!)),
      ...text
        .split('withCode(')
        .slice(1)
        .flatMap((rest) => literals(rest.split(',')[0]!)),
      ...[...text.matchAll(/const \w+Code = ('\w+')/g)].flatMap((match) => literals(match[1]!)),
    ]);
  return [...new Set(found)];
}

describe.each(['docs/guide/errors.md', 'docs/zh/guide/errors.md'])('%s', (file) => {
  const text = read(file);
  const rows = text
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const rowOf = (code: string): string[] | undefined => rows.find(([first]) => first === `\`${code}\``);

  it('has every code once, with cause and cure', () => {
    const codes = rows.map(([first]) => first);
    expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([]);
    expect(errorCodes.filter((code) => !rowOf(code))).toEqual([]);
    expect(rows.filter((row) => row.length < 3 || row.slice(1).some((cell) => cell === ''))).toEqual([]);
  });

  it('has the code and status that calls to models really get', () => {
    for (const code of errorCodes) {
      const shown = rowOf(code)?.[1] ?? '';
      // The errors of sign-in and permissions have the status of REST, so they are skipped here.
      if (!shown.includes('`')) continue;
      const failure = toCallFailure(new AppError(code, 'text'));
      expect([code, shown]).toEqual([code, `${failure.status} \`${failure.code}\``]);
    }
  });

  it('has the status of REST where it is not 200', () => {
    const ofCalls = [
      'MISSING_',
      'INVALID_API',
      'TOKEN_',
      'CHANNEL_PIN',
      'IP_NOT',
      'PAYLOAD',
      'UNSUPPORTED_MEDIA',
      'BROWSER',
    ];
    for (const code of errorCodes) {
      const { status } = toFailure(new AppError(code, 'text'));
      const shown = rowOf(code)?.[1] ?? '';
      const elsewhere = new RegExp(`\`${code}\`[^\`]{0,20}${status}`).test(text);
      const says = shown.startsWith(String(status)) || elsewhere || ofCalls.some((start) => code.startsWith(start));
      if (status !== 200) expect([code, says]).toEqual([code, true]);
      else if (!shown.includes('`')) expect([code, shown]).toEqual([code, '200']);
    }
  });

  it('has the more exact codes of calls to models', () => {
    const codes = wireCodes();
    expect(codes).toEqual(expect.arrayContaining(['channels_busy', 'invalid_query', 'invalid_image_request']));
    expect(codes.filter((code) => !text.includes(`\`${code}\``))).toEqual([]);
  });

  it('has every outcome of a test of the payment settings', () => {
    expect(Object.keys(paymentTestMessages).filter((code) => !rowOf(code))).toEqual([]);
  });

  it('has the codes of GraphQL documents and of the start', () => {
    const documents =
      /documentCodes = new Set\(\[([^\]]*)\]/.exec(read('server/src/platform/graphql/format-error.ts'))?.[1] ?? '';
    const start = [
      ...(/type SchemaErrorCode = ([^;]*);/.exec(read('server/src/platform/db/schema-state.ts'))?.[1] ?? '').matchAll(
        /'(\w+)'/g,
      ),
      ...read('server/src/platform/db/encryption-key.ts').matchAll(/code = '(\w+)'/g),
      ...documents.matchAll(/'(\w+)'/g),
    ].map((match) => match[1]!);
    expect(start.length).toBeGreaterThan(8);
    expect(start.filter((code) => !rowOf(code))).toEqual([]);
  });
});

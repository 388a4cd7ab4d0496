import { Base64Field, ShortTexts } from './json-texts.js';

const video = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 256));
const report = {
  name: 'bytes', // A value of the name of the field is no field.
  note: 'a "quoted" \\ text é',
  long: 'x'.repeat(50) + '\\'.repeat(51),
  videos: [{ mimeType: 'video/mp4', bytes: video.toString('base64') }, { bytes: 'AAAA' }],
  done: true,
};
const plain = JSON.stringify(report);
const texts = [plain, plain.replaceAll('=', '\\u003d'), plain.replaceAll('/', '\\/')];
/** The whole text, and in pieces of each small size. */
const sizes = [plain.length * 2, 1, 2, 3, 7, 64];
const pieces = (text: string, size: number): Buffer[] => {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
};

it.each(texts)('a field of base64 is decoded as it arrives', (text) => {
  for (const size of sizes) {
    const field = new Base64Field('bytes');
    const decoded = pieces(text, size).map((piece) => field.push(piece));
    expect(Buffer.concat([...decoded, field.end()]).equals(video)).toBe(true);
    expect(field.isFound).toBe(true);
  }
});

it('a field that is absent has no bytes', () => {
  const field = new Base64Field('other');
  expect(Buffer.concat([field.push(Buffer.from(plain)), field.end()])).toHaveLength(0);
  expect(field.isFound).toBe(false);
});

it.each(texts)('long texts are left out, the rest stays JSON', (text) => {
  for (const size of sizes) {
    const short = new ShortTexts(40);
    const kept = JSON.parse(Buffer.concat(pieces(text, size).map((piece) => short.push(piece))).toString()) as object;
    expect(kept).toMatchObject({ name: 'bytes', note: report.note, done: true });
    expect(JSON.stringify(kept).length).toBeLessThan(300);
  }
});

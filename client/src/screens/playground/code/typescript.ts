import { type CodeInput, formFields, indent, recordingName, responseUse, sdkMethods, speechName } from './shared.js';

const text = (value: string): string =>
  `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

/** A value as a literal of TypeScript. */
function literal(value: unknown): string {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) {
    return value.length === 0 ? '[]' : `[\n${value.map((each) => `  ${indent(literal(each), '  ')},\n`).join('')}]`;
  }
  if (typeof value !== 'object' || value === null) return String(value);
  return objectOf(Object.entries(value).map(([name, each]) => [name, literal(each)]));
}

const objectOf = (entries: ReadonlyArray<readonly [name: string, literal: string]>): string =>
  `{\n${entries.map(([name, value]) => `  ${/^[A-Za-z_]\w*$/.test(name) ? name : text(name)}: ${indent(value, '  ')},\n`).join('')}}`;

const prints: Readonly<Record<string, string>> = {
  '/chat/completions': 'console.log(response.choices[0]?.message.content);',
  '/completions': 'console.log(response.choices[0]?.text);',
  '/embeddings': 'console.log(response.data[0]?.embedding.slice(0, 8));',
  '/moderations': 'console.log(response.results[0]?.flagged);',
  '/audio/transcriptions': 'console.log(response.text);',
};

export function typescriptCode(input: CodeInput): string {
  const { baseUrl, key, path, body, file } = input;
  const client = `const client = new OpenAI({ baseURL: ${text(baseUrl)}, apiKey: ${text(key)} });\n\n`;
  const top = `import OpenAI from 'openai';\n\n${client}`;
  const method = sdkMethods[path];
  if (method === undefined) {
    return `${top}const response = await client.post(${text(path)}, { body: ${literal(body)} });\nconsole.log(response);`;
  }
  const fields =
    file === undefined
      ? literal(body)
      : objectOf([
          ...formFields(input).map(([name, value]) => [name, text(value)] as const),
          [file, `createReadStream('${recordingName}')`],
        ]);
  const call = `await client.${method}(${fields});\n`;
  const saves = `import { writeFile } from 'node:fs/promises';\n${top}`;
  switch (responseUse(input)) {
    case 'stream':
      return `${top}const stream = ${call}for await (const chunk of stream) {\n  process.stdout.write(chunk.choices[0]?.delta.content ?? '');\n}`;
    case 'speech':
      return `${saves}const response = ${call}await writeFile('${speechName(input)}', Buffer.from(await response.arrayBuffer()));`;
    case 'images':
      return `${saves}const response = ${call}for (const [index, image] of (response.data ?? []).entries()) {\n  if (image.b64_json) await writeFile(\`image-\${index + 1}.png\`, Buffer.from(image.b64_json, 'base64'));\n  else console.log(image.url);\n}`;
    case 'video':
      return `${saves}let video = ${call}while (video.status === 'queued' || video.status === 'in_progress') {\n  await new Promise((resolve) => setTimeout(resolve, 5000));\n  video = await client.videos.retrieve(video.id);\n}\nif (video.status !== 'completed') throw new Error(video.error?.message);\nconst content = await client.videos.downloadContent(video.id);\nawait writeFile('video.mp4', Buffer.from(await content.arrayBuffer()));`;
    case 'json':
      return `${file === undefined ? top : `import { createReadStream } from 'node:fs';\n${top}`}const response = ${call}${prints[path] ?? 'console.log(response);'}`;
  }
}

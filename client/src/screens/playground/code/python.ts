import { type CodeInput, formFields, indent, recordingName, responseUse, sdkMethods, speechName } from './shared.js';

/** A value as a literal of Python. JSON texts are texts of Python too. */
function literal(value: unknown): string {
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (value === null || value === undefined) return 'None';
  if (Array.isArray(value)) {
    return value.length === 0 ? '[]' : `[\n${value.map((each) => `    ${indent(literal(each), '    ')},\n`).join('')}]`;
  }
  if (typeof value !== 'object') return JSON.stringify(value);
  const entries = Object.entries(value).map(
    ([name, each]) => `    ${JSON.stringify(name)}: ${indent(literal(each), '    ')},\n`,
  );
  return `{\n${entries.join('')}}`;
}

const methods: Readonly<Record<string, string>> = { ...sdkMethods, '/videos': 'videos.create_and_poll' };

const prints: Readonly<Record<string, string>> = {
  '/chat/completions': 'print(response.choices[0].message.content)',
  '/completions': 'print(response.choices[0].text)',
  '/embeddings': 'print(response.data[0].embedding[:8])',
  '/moderations': 'print(response.results[0].flagged)',
  '/audio/transcriptions': 'print(response.text)',
};

export function pythonCode(input: CodeInput): string {
  const { baseUrl, key, path, body, file } = input;
  const client = `client = OpenAI(base_url=${JSON.stringify(baseUrl)}, api_key=${JSON.stringify(key)})`;
  const top = `from openai import OpenAI\n\n${client}\n\n`;
  const method = methods[path];
  if (method === undefined) {
    const call = `client.post(${JSON.stringify(path)}, body=${literal(body)}, cast_to=object)`;
    return `${top}response = ${call}\nprint(response)`;
  }
  const given: ReadonlyArray<readonly [string, string]> =
    file === undefined
      ? Object.entries(body).map(([name, value]) => [name, literal(value)])
      : [
          ...formFields(input).map(([name, value]) => [name, JSON.stringify(value)] as const),
          [file, `open("${recordingName}", "rb")`],
        ];
  const named = given.map(([name, value]) => `    ${name}=${indent(value, '    ')},\n`).join('');
  const call = `client.${method}(\n${named})`;
  switch (responseUse(input)) {
    case 'stream':
      return `${top}stream = ${call}\nfor chunk in stream:\n    if chunk.choices:\n        print(chunk.choices[0].delta.content or "", end="", flush=True)`;
    case 'speech':
      return `${top}response = ${call}\nresponse.write_to_file("${speechName(input)}")`;
    case 'images':
      return `import base64\n\n${top}response = ${call}\nfor index, image in enumerate(response.data):\n    if image.b64_json:\n        with open(f"image-{index + 1}.png", "wb") as file:\n            file.write(base64.b64decode(image.b64_json))\n    else:\n        print(image.url)`;
    case 'video':
      return `${top}video = ${call}\nif video.status != "completed":\n    raise SystemExit(video.error)\nclient.videos.download_content(video.id).write_to_file("video.mp4")`;
    case 'json':
      return `${top}response = ${call}\n${prints[path] ?? 'print(response)'}`;
  }
}

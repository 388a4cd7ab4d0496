import { type CodeInput, formFields, indent, recordingName, speechName, responseUse } from './shared.js';

/** A block of text. Backslashes and quotes at its end are escaped. */
const block = (text: string): string =>
  `"""\n        ${indent(text.replaceAll('\\', '\\\\').replaceAll('"""', '\\"""'), '        ')}`;

const jsonBody = ({ body }: CodeInput): string => `${block(JSON.stringify(body, null, 2))}"""`;

const program = (imports: readonly string[], main: string, more = ''): string =>
  `${[...imports, 'java.net.URI', 'java.net.http.*']
    .sort()
    .map((name) => `import ${name};\n`)
    .join('')}
public class Example {
    public static void main(String[] args) throws Exception {
${main}    }
${more}}`;

const request = (
  { key }: CodeInput,
  address: string,
  more: string,
): string => `HttpRequest.newBuilder(URI.create(${address}))
            .header("Authorization", ${JSON.stringify(`Bearer ${key}`)})
            ${more}
            .build()`;

const json = (input: CodeInput): string =>
  request(
    input,
    JSON.stringify(input.baseUrl + input.path),
    `.header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body))`,
  );

const head = (input: CodeInput): string => `        var body = ${jsonBody(input)};
        var request = ${json(input)};
        var client = HttpClient.newHttpClient();
`;

export function javaCode(input: CodeInput): string {
  const { baseUrl, path, file } = input;
  if (file !== undefined) {
    const fields = formFields(input).map(
      ([name, value]) => `        part(body, ${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
    );
    return program(
      ['java.io.ByteArrayOutputStream', 'java.nio.file.*'],
      `        var body = new ByteArrayOutputStream();
${fields.join('')}        body.write(("--boundary\\r\\nContent-Disposition: form-data; name=\\"${file}\\"; "
            + "filename=\\"${recordingName}\\"\\r\\n\\r\\n").getBytes());
        body.write(Files.readAllBytes(Path.of("${recordingName}")));
        body.write("\\r\\n--boundary--\\r\\n".getBytes());
        var request = ${request(
          input,
          JSON.stringify(baseUrl + path),
          `.header("Content-Type", "multipart/form-data; boundary=boundary")
            .POST(HttpRequest.BodyPublishers.ofByteArray(body.toByteArray()))`,
        )};
        var client = HttpClient.newHttpClient();
        System.out.println(client.send(request, HttpResponse.BodyHandlers.ofString()).body());
`,
      `
    static void part(ByteArrayOutputStream body, String name, String value) throws Exception {
        body.write(("--boundary\\r\\nContent-Disposition: form-data; name=\\"" + name
            + "\\"\\r\\n\\r\\n" + value + "\\r\\n").getBytes());
    }
`,
    );
  }
  switch (responseUse(input)) {
    case 'stream':
      return program(
        [],
        `${head(input)}        client.send(request, HttpResponse.BodyHandlers.ofLines()).body()
            .filter(line -> line.startsWith("data: ") && !line.endsWith("[DONE]"))
            // Each line is a chunk in JSON. Its text is in choices[0].delta.content.
            .forEach(line -> System.out.println(line.substring(6)));
`,
      );
    case 'speech':
      return program(
        ['java.nio.file.Path'],
        `${head(input)}        client.send(request, HttpResponse.BodyHandlers.ofFile(Path.of("${speechName(input)}")));
`,
      );
    case 'video':
      return program(
        ['java.nio.file.Path', 'java.util.regex.Pattern'],
        `${head(input)}        var video = client.send(request, HttpResponse.BodyHandlers.ofString()).body();
        var address = ${JSON.stringify(baseUrl + path)} + "/" + field(video, "id");
        while (field(video, "status").matches("queued|in_progress")) {
            Thread.sleep(5000);
            video = client.send(get(address), HttpResponse.BodyHandlers.ofString()).body();
        }
        System.out.println(video);
        client.send(get(address + "/content"), HttpResponse.BodyHandlers.ofFile(Path.of("video.mp4")));
`,
        `
    static HttpRequest get(String address) {
        return ${request(input, 'address', '.GET()')};
    }

    static String field(String json, String name) {
        var match = Pattern.compile("\\"" + name + "\\": *\\"([^\\"]*)\\"").matcher(json);
        return match.find() ? match.group(1) : "";
    }
`,
      );
    default:
      return program(
        [],
        `${head(input)}        System.out.println(client.send(request, HttpResponse.BodyHandlers.ofString()).body());
`,
      );
  }
}

import { type CodeInput, formFields, recordingName, speechName, responseUse } from './shared.js';

/** A raw text cannot contain its own quote. */
const quoted = (text: string): string => (text.includes('`') ? JSON.stringify(text) : `\`${text}\``);

const program = (imports: readonly string[], body: string): string =>
  `package main\n\nimport (\n${[...imports]
    .sort()
    .map((name) => `\t"${name}"\n`)
    .join('')})\n\n${body}`;

const check = '\tif err != nil {\n\t\tpanic(err)\n\t}\n';

/** A function that sends one request and refuses errors of the server. */
const sender = (key: string): string => `func send(method, url, contentType string, body io.Reader) *http.Response {
	request, err := http.NewRequest(method, url, body)
${check}	request.Header.Set("Authorization", ${JSON.stringify(`Bearer ${key}`)})
	request.Header.Set("Content-Type", contentType)
	response, err := http.DefaultClient.Do(request)
${check}	if response.StatusCode >= 400 {
		text, _ := io.ReadAll(response.Body)
		panic(string(text))
	}
	return response
}
`;

const saved = (name: string): string => `	file, err := os.Create("${name}")
${check}	defer file.Close()
	if _, err := io.Copy(file, response.Body); err != nil {
		panic(err)
	}
`;

const printed = '\tio.Copy(os.Stdout, response.Body)\n';

export function goCode(input: CodeInput): string {
  const { baseUrl, path, key, body, file } = input;
  const url = JSON.stringify(baseUrl + path);
  const basic = ['io', 'net/http', 'os'];
  if (file !== undefined) {
    const fields = formFields(input)
      .map(([name, value]) => `\tform.WriteField(${JSON.stringify(name)}, ${JSON.stringify(value)})\n`)
      .join('');
    return program(
      [...basic, 'bytes', 'mime/multipart'],
      `func main() {
	recording, err := os.ReadFile("${recordingName}")
${check}	var body bytes.Buffer
	form := multipart.NewWriter(&body)
${fields}	part, err := form.CreateFormFile("${file}", "${recordingName}")
${check}	part.Write(recording)
	form.Close()
	response := send("POST", ${url}, form.FormDataContentType(), &body)
	defer response.Body.Close()
${printed}}

${sender(key)}`,
    );
  }
  const start = `func main() {
	body := strings.NewReader(${quoted(JSON.stringify(body, null, 2))})
	response := send("POST", ${url}, "application/json", body)
	defer response.Body.Close()
`;
  switch (responseUse(input)) {
    case 'stream':
      return program(
        ['bufio', 'encoding/json', 'fmt', 'io', 'net/http', 'strings'],
        `${start}	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		data, isData := strings.CutPrefix(lines.Text(), "data: ")
		if !isData || data == "[DONE]" {
			continue
		}
		var chunk struct {
			Choices []struct {
				Delta struct{ Content string }
			}
		}
		if json.Unmarshal([]byte(data), &chunk) == nil && len(chunk.Choices) > 0 {
			fmt.Print(chunk.Choices[0].Delta.Content)
		}
	}
}

${sender(key)}`,
      );
    case 'speech':
      return program([...basic, 'strings'], `${start}${saved(speechName(input))}}\n\n${sender(key)}`);
    case 'video':
      return program(
        [...basic, 'encoding/json', 'strings', 'time'],
        `${start}	var video struct{ Id, Status string }
	json.NewDecoder(response.Body).Decode(&video)
	address := ${url} + "/" + video.Id
	for video.Status == "queued" || video.Status == "in_progress" {
		time.Sleep(5 * time.Second)
		response := send("GET", address, "application/json", nil)
		json.NewDecoder(response.Body).Decode(&video)
		response.Body.Close()
	}
	if video.Status != "completed" {
		panic(video.Status)
	}
	response = send("GET", address+"/content", "application/json", nil)
${saved('video.mp4')}}

${sender(key)}`,
      );
    default:
      return program([...basic, 'strings'], `${start}${printed}}\n\n${sender(key)}`);
  }
}

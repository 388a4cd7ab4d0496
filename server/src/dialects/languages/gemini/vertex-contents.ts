import { unsupported } from '../../neutral/field-name.js';
import { asFields, asFieldsList, asText, either, type Fields, type Json } from '../../neutral/fields.js';
import { changedList } from '../../wire/pass-through/changed-list.js';
import { fetchable } from './gemini-write-content.js';

/** Whether contents name files that Google does not fetch. */
export const namesRemoteFiles = (contents: unknown): boolean =>
  asFieldsList(contents).some(({ parts }) =>
    asFieldsList(parts).some((part) => {
      const file = asFields(either(part, 'fileData', 'file_data'));
      const uri = file ? asText(either(file, 'fileUri', 'file_uri')) : '';
      return uri !== '' && !fetchable.test(uri);
    }),
  );

/**
 * Returns a Gemini body for Vertex AI (docs/reference/providers/gemini-and-vertex.md#gemini-on-vertex-ai), and the
 * names of the fields that were left out.
 * @throws AppError UNSUPPORTED_BY_CHANNEL naming the field
 */
export function vertexGeminiBody(given: Fields): { readonly body: Json; readonly dropped: readonly string[] } {
  const { model: _model, serviceTier, service_tier: tier, store, ...body } = given;
  for (const [index, tool] of asFieldsList(body['tools']).entries()) {
    const name = geminiApiTools.find((each) => tool[each] !== undefined);
    if (name) throw unsupported(`tools[${index}].${name}`, 'Vertex AI does not offer it');
  }
  const dropped = Object.entries({ serviceTier, service_tier: tier, store }).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [name],
  );
  return { body: { ...body, contents: vertexContents(body['contents']) }, dropped };
}

/** Tools that use data stored at the Gemini API. */
const geminiApiTools = ['fileSearch', 'file_search', 'mcpServers', 'mcp_servers'];

/** Vertex requires one of two roles for every turn, and refuses ids of parts. */
export const vertexContents = (contents: unknown): unknown =>
  changedList(contents, (content) => {
    const role = content['role'] === 'model' ? 'model' : 'user';
    const parts = changedList(content['parts'], vertexPart);
    return role === content['role'] && parts === content['parts'] ? content : { ...content, role, parts };
  });

/** Parts that have an id only in the Gemini API, in both spellings. */
const named = new Set([
  ...['functionCall', 'functionResponse', 'executableCode', 'codeExecutionResult'],
  ...['function_call', 'function_response', 'executable_code', 'code_execution_result'],
]);

function vertexPart(part: Fields): Fields {
  if (part['partMetadata'] === undefined && !Object.keys(part).some((name) => hasId(name, part))) return part;
  const { partMetadata: _metadata, ...rest } = part;
  return Object.fromEntries(
    Object.entries(rest).map(([name, value]) => {
      if (!hasId(name, part)) return [name, value];
      const { id: _id, ...inner } = asFields(value) ?? {};
      return [name, inner];
    }),
  );
}

const hasId = (name: string, part: Fields): boolean => named.has(name) && asFields(part[name])?.['id'] !== undefined;

import type { IncomingHttpHeaders } from 'node:http';
import { readDrawingFields } from '../../priced-image-fields.js';
import { declaredTools, withTools } from '../../neutral/declared-tools.js';
import { asText, someText, type Fields } from '../../neutral/fields.js';
import { type ImageTerms, tokensOfImage } from '../../neutral/made-image.js';

/** The model with which OpenAI's tool draws if a request names none, as OpenAI documents it. */
export const usualDrawingModel = 'gpt-image-2';

/** The header with the name of the deployment that draws images. */
export const azureDrawingHeader = 'x-ms-oai-image-generation-deployment';

const isDrawing = (tool: Fields): boolean => tool['type'] === 'image_generation';

interface Drawing extends ImageTerms {
  readonly model: string;
}

/** The size with the most tokens, which the model may choose. */
const largestSize = '1024x1536';

/**
 * Returns the model of the drawing tool and the terms of its images, which determine their price; of several tools,
 * the most expensive one. Null without such a tool.
 * @throws AppError INVALID_INPUT naming the field
 */
export function drawingIn(body: Fields): Drawing | null {
  const tools = declaredTools(body).filter(({ tool }) => isDrawing(tool));
  if (tools.length === 0) return null;
  return tools
    .map(({ tool, at }): Drawing => {
      const terms = readDrawingFields(tool, at);
      return { ...terms, model: asText(tool['model']) || usualDrawingModel, size: terms.size || largestSize };
    })
    .reduce((most, each) => (tokensOfImage(each) > tokensOfImage(most) ? each : most));
}

/**
 * Returns a body whose drawing tool has the model that clients of Azure OpenAI name in a header.
 * @returns null if nothing changes, as in nearly all calls
 */
export function withDrawingModel(body: Fields, headers: IncomingHttpHeaders): Fields | null {
  const model = headers[azureDrawingHeader];
  if (typeof model !== 'string' || model === '') return null;
  const isUnnamed = (tool: Fields): boolean => isDrawing(tool) && someText(tool['model']) === undefined;
  const named = withTools(body, (tool) => (isUnnamed(tool) ? { ...tool, model } : tool));
  return named === body ? null : named;
}

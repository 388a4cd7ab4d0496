import { InvalidInputError } from '../shared/errors.js';
import { asFields, type Fields } from './neutral/fields.js';
import type { ImageTerms } from './neutral/made-image.js';
import { imageCountNames, needCount, optionalWord } from './priced-fields.js';

// The fields that multiply or select the price of images, read by the rules of priced-fields.ts.

/** The price of an image call is multiplied by its number of images. */
const maxImages = 128;

/** Matches pixels, a ratio, or a name such as `auto` and `2K`. */
const sizeForm = /^(?:[a-z][a-z0-9_-]*|[1-9]\d{1,4}[x*][1-9]\d{1,4}|[1-9]\d?:[1-9]\d?|[1-9]\d?[kK])?$/;

function sizeIn(fields: Fields, name: string, at = ''): string {
  const value = fields[name] ?? '';
  if (typeof value !== 'string' || !sizeForm.test(value)) {
    throw new InvalidInputError(`${at}${name} must be like 1024x1024, with the letter x`, at + name);
  }
  return value;
}

/** Maximum number of images of a series, which Seedream may draw. It decides on the number, and reports it. */
const longestSeries = 15;

function seriesOf(body: Fields): number {
  if (optionalWord(body, 'sequential_image_generation') !== 'auto') return 1;
  const options = asFields(body['sequential_image_generation_options']) ?? {};
  return options['max_images'] === undefined ? longestSeries : imagesIn(options, 'max_images', false);
}

/** @param isForm whether the fields are those of a form, in which all values are text */
function imagesIn(fields: Fields, name: string, isForm: boolean): number {
  return countIn(fields, name, isForm, { least: 1, most: maxImages }) ?? 1;
}

/** Maximum number of partial images before an image of a stream, as at OpenAI. */
const maxPartialImages = 3;

/**
 * Returns the number of partial images before each image. Only a stream has them.
 * @param at prefix of the name in errors
 */
function partialImagesIn(fields: Fields, isForm: boolean, at = ''): number {
  return countIn(fields, 'partial_images', isForm, { least: 0, most: maxPartialImages, at }) ?? 0;
}

/** Returns a number of images; undefined when the field is absent. */
function countIn(
  fields: Fields,
  name: string,
  isForm: boolean,
  { least, most, at = '' }: { readonly least: number; readonly most: number; readonly at?: string },
): number | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  const isDigits = isForm && typeof value === 'string' && /^\d{1,3}$/.test(value);
  return needCount(isDigits ? Number(value) : value, at + name, least, most);
}

/**
 * Returns the number and the terms of the images that a request asks for; of two numbers the larger one.
 * @throws AppError INVALID_INPUT naming the field
 */
export function readImageFields(body: Fields, isForm: boolean): { readonly count: number } & Required<ImageTerms> {
  const counts = imageCountNames.map((name) => imagesIn(body, name, isForm));
  const [size, other] = [sizeIn(body, 'size'), sizeIn(body, 'image_size')];
  if (size !== '' && other !== '' && size !== other) {
    throw new InvalidInputError('image_size must be the same as size', 'image_size');
  }
  return {
    count: Math.max(seriesOf(body), ...counts),
    size: (size || other || '1024x1024').replace('*', 'x'),
    quality: optionalWord(body, 'quality') || 'standard',
    partialImages: partialImagesIn(body, isForm),
  };
}

/**
 * Names of fields that are allowed. Another field could request more images than are reserved, under a name that only
 * its provider knows.
 */
const drawingFields: ReadonlySet<string> = new Set([
  ...['type', 'action', 'model', 'size', 'quality', 'background', 'moderation', 'output_format', 'output_compression'],
  ...['input_fidelity', 'input_image_mask', 'partial_images'],
]);

/**
 * Returns the terms of the images that a tool may draw; size and quality are empty if the model chooses them.
 * @param at the path of the tool, for errors
 * @throws AppError INVALID_INPUT naming the field
 */
export function readDrawingFields(tool: Fields, at: string): Required<ImageTerms> {
  for (const name in tool) {
    if (!drawingFields.has(name)) throw new InvalidInputError(`${at}.${name} is not supported`, `${at}.${name}`);
  }
  const size = sizeIn(tool, 'size', `${at}.`);
  const quality = optionalWord(tool, 'quality', `${at}.`);
  const partialImages = partialImagesIn(tool, false, `${at}.`);
  return { size: size === 'auto' ? '' : size, quality: quality === 'auto' ? '' : quality, partialImages };
}

/** Names of model families that accept images. */
const imageModels =
  /gpt-4o|gpt-4\.1|gpt-4\.5|gpt-4-turbo|gpt-5|chatgpt-4o|(^|\/)o[134](-|$)|claude-(3|opus|sonnet|haiku)|gemini|gemma-3|vision|[-_]vl|\dvl|pixtral|llava|llama-4|llama4|glm-4(\.\d)?v|grok-(2-vision|4)|mistral-(small|medium)|qvq|internvl|step-1v|nova-(lite|pro|premier)|omni/i;
/** Exceptions in these families. */
const textOnlyModels =
  /gpt-4o-(mini-)?(audio|realtime|transcribe|tts|search)|o1-mini|o1-preview|o3-mini|embedding|claude-3-5-haiku/i;

/** Whether a model accepts images, guessed from its name: no API reports it. */
export const acceptsImages = (model: string): boolean => imageModels.test(model) && !textOnlyModels.test(model);

/** The longer side, in pixels. Models do not use more. */
const maxSidePixels = 1568;

export const maxImages = 8;

/** Scales an image down, as JPEG; a small PNG stays PNG. @returns a `data:` URL @throws when the file is no image */
export async function toDataUrl(file: Blob): Promise<string> {
  const bitmap = await createImageBitmap(file);
  const scale = Math.min(1, maxSidePixels / Math.max(bitmap.width, bitmap.height));
  if (scale === 1 && file.size < 200_000 && /^image\/(png|jpeg|webp|gif)$/.test(file.type)) return readAddress(file);
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  const context = canvas.getContext('2d');
  if (!context) throw new Error('no canvas');
  // JPEG has no transparency: use a white background, not black.
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return canvas.toDataURL('image/jpeg', 0.85);
}

const readAddress = (file: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(reader.error ?? new Error('unreadable'));
    reader.readAsDataURL(file);
  });

/** Families of models that see, by what their names have in common. */
const seeing =
  /gpt-4o|gpt-4\.1|gpt-4\.5|gpt-4-turbo|gpt-5|chatgpt-4o|(^|\/)o[134](-|$)|claude-(3|opus|sonnet|haiku)|gemini|gemma-3|vision|[-_]vl|\dvl|pixtral|llava|llama-4|llama4|glm-4(\.\d)?v|grok-(2-vision|4)|mistral-(small|medium)|qvq|internvl|step-1v|nova-(lite|pro|premier)|omni/i;
/** Members of these families that do not. */
const blind =
  /gpt-4o-(mini-)?(audio|realtime|transcribe|tts|search)|o1-mini|o1-preview|o3-mini|embedding|claude-3-5-haiku/i;

/** Whether a model accepts images, guessed from its name: no API reports it. */
export const takesPictures = (model: string): boolean => seeing.test(model) && !blind.test(model);

/** The longer side, in pixels. No model looks closer. */
const largestSide = 1568;

export const mostPictures = 8;

/** Smaller, as JPEG (PNG stays PNG when it is small). @returns a `data:` address @throws when the file is no picture */
export async function toPicture(file: Blob): Promise<string> {
  const bitmap = await createImageBitmap(file);
  const scale = Math.min(1, largestSide / Math.max(bitmap.width, bitmap.height));
  if (scale === 1 && file.size < 200_000 && /^image\/(png|jpeg|webp|gif)$/.test(file.type)) return readAddress(file);
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  const context = canvas.getContext('2d');
  if (!context) throw new Error('no canvas');
  // JPEG knows no transparency: what was clear becomes white, not black.
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return canvas.toDataURL('image/jpeg', 0.85);
}

const readAddress = (file: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      resolve(reader.result as string);
    };
    reader.onerror = () => {
      reject(reader.error ?? new Error('unreadable'));
    };
    reader.readAsDataURL(file);
  });

import { z } from 'zod';
import { text, whole } from '../../relay-shapes.js';

/** A video in OpenAI's form. */
export const videoShape = z.looseObject({
  id: text,
  object: text,
  model: text,
  status: text,
  progress: whole,
  created_at: whole,
  completed_at: whole.nullable(),
  expires_at: z.null(),
  seconds: text,
  size: text,
  prompt: text.nullable(),
  remixed_from_video_id: text.nullable(),
  error: z.looseObject({ code: text, message: text }).nullable(),
});

export type VideoWire = z.output<typeof videoShape>;

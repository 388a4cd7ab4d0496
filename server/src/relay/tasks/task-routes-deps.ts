import type { DrawingLookup } from './midjourney/drawing-lookup.js';
import type { Submission } from './midjourney/submission.js';
import type { Suno } from './suno/suno.js';

/** What the routes of drawings stand on. */
export interface MidjourneyRoutesDeps {
  readonly submission: Submission;
  readonly lookup: DrawingLookup;
  readonly maxBodyBytes: number;
}

/** What the routes of music stand on. */
export interface SunoRoutesDeps {
  readonly suno: Suno;
  readonly maxBodyBytes: number;
}

import type { DrawingLookup } from './midjourney/drawing-lookup.js';
import type { DrawingSubmissions } from './midjourney/drawing-submissions.js';
import type { Suno } from './suno/suno.js';
import type { KlingPaths } from './video/kling-paths.js';
import type { OlderVideos } from './video/older-videos.js';
import type { VideoContent } from './video/video-content.js';
import type { Videos } from './video/videos.js';

/** Dependencies of the drawing routes. */
export interface MidjourneyRoutesDeps {
  readonly submission: DrawingSubmissions;
  readonly lookup: DrawingLookup;
  readonly maxBodyBytes: number;
}

/** Dependencies of the music routes. */
export interface SunoRoutesDeps {
  readonly suno: Suno;
  readonly maxBodyBytes: number;
}

/** Dependencies of the video routes. */
export interface VideoRoutesDeps {
  readonly videos: Videos;
  readonly content: VideoContent;
  readonly older: OlderVideos;
  readonly kling: KlingPaths;
  readonly maxBodyBytes: number;
}

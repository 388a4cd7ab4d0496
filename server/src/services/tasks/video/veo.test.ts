import type { TaskTarget } from '../task-target.js';
import { veo } from './veo.js';

const target = (baseUrl: string): TaskTarget => ({ baseUrl, key: 'secret' }) as TaskTarget;
const made = (uri: string) => ({ response: { generateVideoResponse: { generatedSamples: [{ video: { uri } }] } } });
const base = 'https://generativelanguage.googleapis.com';

it.each([
  [base, `${base}/v1beta/files/f1:download?alt=media`],
  ['https://proxy.example/google', 'https://proxy.example/google/v1beta/files/f1:download?alt=media'],
  ['https://proxy.example/v1beta', 'https://proxy.example/v1beta/files/f1:download?alt=media'],
])('reads a video by the base URL %s', (baseUrl, url) => {
  expect(veo.source('', made(`${base}/v1beta/files/f1:download?alt=media`), 'video', target(baseUrl))?.url).toBe(url);
});

it.each(['x:.evil.example/v1', 'x:@evil.example/', 'x:0/', 'javascript:.evil.example', 'file:///etc/passwd', ''])(
  'sends its key to no other host because a report says %s',
  (uri) => {
    expect(veo.source('', made(uri), 'video', target(base))).toBeNull();
  },
);

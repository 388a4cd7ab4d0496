import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig, type InlineConfig } from 'vite';
import { chunks } from './chunks.js';
import { precompress } from './precompress.js';
import { preloads } from './preloads.js';

const server = process.env.TOLLGATE_URL ?? 'http://127.0.0.1:3000';
const proxied = [
  '^/graphql(?!/explorer)',
  '/api',
  '/v1',
  '/v1beta',
  '/openai',
  '/mj',
  '/suno',
  '/pg',
  '/docs',
  '/llms.txt',
];

const base: InlineConfig = {
  root: import.meta.dirname,
  resolve: {
    dedupe: ['graphql', 'react', 'react-dom', '@emotion/react'],
    // RxJS exports a build for current browsers under this condition only.
    conditions: ['es2015', ...defaultClientConditions],
  },
};

export default defineConfig({
  ...base,
  // The server puts the path of the site before the files of the page; files name each other relatively.
  base: './',
  plugins: [react(), chunks({ ...base, plugins: [react()] }), precompress(), preloads()],
  server: {
    port: 5173,
    fs: { allow: ['..'] },
    proxy: Object.fromEntries(proxied.map((path) => [path, { target: server, changeOrigin: true }])),
  },
  build: {
    outDir: '../dist/client',
    emptyOutDir: true,
    // Fonts and icons stay files: a data: URL would need its own exception in the content security policy.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 800,
  },
});

import react from '@vitejs/plugin-react';
import { join } from 'node:path';
import { defaultClientConditions, defineConfig, type InlineConfig } from 'vite';
import { chunks } from './chunks.js';
import { earlyQueries } from './earlyQueries.js';
import { precompress } from './precompress.js';
import { preloads } from './preloads.js';

const server = process.env.TOLLGATE_URL ?? 'http://127.0.0.1:3000';
const proxied = ['/graphql', '/api', '/v1', '/v1beta', '/mj', '/suno', '/pg'];

const parts: InlineConfig = {
  root: import.meta.dirname,
  define: { earlyQueries: JSON.stringify(earlyQueries) },
  resolve: {
    dedupe: ['graphql', 'react', 'react-dom', '@emotion/react'],
    alias: {
      '@emotion/use-insertion-effect-with-fallbacks': join(import.meta.dirname, 'src/app/styleInsertion.ts'),
    },
    // RxJS has a build for today's browsers beside the one it gives out unasked.
    conditions: ['es2015', ...defaultClientConditions],
  },
};

export default defineConfig({
  ...parts,
  plugins: [react(), chunks({ ...parts, plugins: [react()] }), precompress(), preloads()],
  server: {
    port: 5173,
    fs: { allow: ['..'] },
    proxy: Object.fromEntries(proxied.map((path) => [path, { target: server, changeOrigin: true }])),
  },
  build: {
    outDir: '../dist/client',
    emptyOutDir: true,
    // Fonts and icons stay files: a data: address would need its own exception in the content security policy.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 800,
  },
});

// This module is loaded into the benchmark's servers with --import. It reports live memory, without memory that is free but
// not yet returned to the system.
import process from 'node:process';
import { writeHeapSnapshot } from 'node:v8';

process.on('message', ({ ask, file }) => {
  if (ask === 'snapshot') {
    process.send({ file: writeHeapSnapshot(file) });
    return;
  }
  globalThis.gc();
  // The second collection frees memory that finalizers of the first one released.
  setTimeout(() => {
    globalThis.gc();
    const { heapUsed, external } = process.memoryUsage();
    process.send({ bytes: heapUsed + external });
  }, 100);
});
// The channel to the benchmark does not keep the process alive.
process.channel?.unref();

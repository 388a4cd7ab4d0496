// Loaded into the benchmark's servers with --import: reports live memory, as opposed to memory not yet returned to the
// system.
import process from 'node:process';
import { writeHeapSnapshot } from 'node:v8';

process.on('message', ({ ask, file }) => {
  if (ask === 'snapshot') {
    process.send({ file: writeHeapSnapshot(file) });
    return;
  }
  globalThis.gc();
  // Memory released by finalizers of the first collection is free after the second.
  setTimeout(() => {
    globalThis.gc();
    const { heapUsed, external } = process.memoryUsage();
    process.send({ bytes: heapUsed + external });
  }, 100);
});
// The channel to the benchmark does not keep the process alive.
process.channel?.unref();

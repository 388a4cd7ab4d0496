// Loaded into the benchmark's own servers with --import: tells them apart from the memory they merely have not given back.
import process from 'node:process';
import { writeHeapSnapshot } from 'node:v8';

process.on('message', ({ ask, file }) => {
  if (ask === 'snapshot') {
    process.send({ file: writeHeapSnapshot(file) });
    return;
  }
  globalThis.gc();
  // Memory that finalizers release in the first round is free after the second.
  setTimeout(() => {
    globalThis.gc();
    const { heapUsed, external } = process.memoryUsage();
    process.send({ bytes: heapUsed + external });
  }, 100);
});
// The channel to the benchmark does not keep the process alive.
process.channel?.unref();
